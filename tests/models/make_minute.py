#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a minute of audio for networks that go through it step by step: sentences with
pauses of different length between them, a little noise under all of it.

Writes [steps, SAMPLES] float32 in [-1, 1] at 16 kHz; what is there is kept.
Usage: make_minute.py FILE.npy [SAMPLES]
"""
import os
import sys

import numpy as np

from make_inputs import RATE, generator_of, say

SENTENCES = ["open the window and read the message", "what time is it", "turn the lights off",
             "there is a train to the coast at nine", "please repeat the last word"]


def minute():
    generator = generator_of("minute")
    out = 0.003 * generator.standard_normal(60 * RATE).astype(np.float32)
    at = RATE
    for turn in range(100):
        speech = say(SENTENCES[turn % len(SENTENCES)])
        if at + len(speech) > len(out):
            break
        out[at:at + len(speech)] += speech
        at += len(speech) + int(generator.uniform(0.2, 4.0) * RATE)
    return np.clip(out, -1, 1)


def main():
    path, samples = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 512
    if os.path.exists(path):
        return
    audio = minute()
    steps = len(audio) // samples
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(path, audio[:steps * samples].reshape(steps, samples))


if __name__ == "__main__":
    main()
