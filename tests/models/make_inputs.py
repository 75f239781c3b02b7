#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the inputs of the model tests, by the rows of models.tsv.

Writes build/models/inputs/<model>/<input>.npy and, beside them, `arguments`: one
argument of `tessera run` per line. What is there is kept; everything is seeded or
drawn, so a second machine makes the same. Kinds:

  text_page  words at several sizes, normalized as PP-OCR's detector wants them
  text_line  one line of text, values in [-1, 1], as PP-OCR's recognizer wants it
  face       a drawn face, values in [-1, 1]
  photo      smooth colours, edges and grain, mean 0 and deviation 1
  speech     a voiced piece of synthesized speech at 16 kHz, values in [-1, 1]
  speech16   the same in the range of 16-bit samples
  mel        log mel energies of speech, scaled as openWakeWord does it
  embedding=PHRASE  16 kHz speech of the phrase for features.js, which runs the feature
             networks on it with the reference runtime and writes the input
  rate       the number 16000
  tokens=N   seeded numbers below N
  mask=N     1 for the first N places (N - 9 in the second row, and so on), then 0
  noise      seeded normal numbers of deviation 0.1 (a state that is not just zero)

Usage: make_inputs.py BUILD_MODELS_FOLDER [MODEL...]
"""
import os
import subprocess
import sys
import tempfile
import wave
import zlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/"
RATE = 16000


def generator_of(*words):
    return np.random.Generator(np.random.PCG64(zlib.crc32("/".join(words).encode())))


def file_name(value):
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in value)


def font(size, name="DejaVuSans.ttf"):
    return ImageFont.truetype(FONTS + name, size)


def chw(image):
    return np.asarray(image, dtype=np.float32).transpose(2, 0, 1)[None] / 255.0


def text_line(dims, text="Tessera reads text"):
    height, width = dims[2:]
    image = Image.new("RGB", (width, height), (236, 233, 225))
    draw = ImageDraw.Draw(image)
    size = height
    while draw.textlength(text, font=font(size)) > width - 12:
        size -= 1
    size = min(size, int(height * 0.72))
    draw.text((6, height // 2), text, font=font(size), fill=(30, 32, 48), anchor="lm")
    return (chw(image) - 0.5) / 0.5


def text_page(dims):
    height, width = dims[2:]
    image = Image.new("RGB", (width, height), (240, 238, 232))
    draw = ImageDraw.Draw(image)
    rows = [("TESSERA", 44, "DejaVuSans-Bold.ttf"), ("a graph compiler", 28, "DejaVuSans.ttf"),
            ("12 engines, 34 kernels", 22, "DejaVuSerif.ttf"),
            ("read me if you can", 18, "DejaVuSansMono.ttf")]
    top = height // 12
    for text, size, name in rows:
        draw.text((width // 12, top), text, font=font(size * width // 320, name), fill=(20, 24, 40))
        top += int(size * width / 320 * 1.9)
    mean = np.array([0.485, 0.456, 0.406], np.float32).reshape(1, 3, 1, 1)
    deviation = np.array([0.229, 0.224, 0.225], np.float32).reshape(1, 3, 1, 1)
    return (chw(image) - mean) / deviation


def face(dims):
    side = dims[1] * 4  # drawn large and scaled down, which smooths it
    image = Image.new("RGB", (side, side), (120, 150, 170))
    draw = ImageDraw.Draw(image)
    oval = lambda x, y, w, h, colour: draw.ellipse(
        [side * (x - w), side * (y - h), side * (x + w), side * (y + h)], fill=colour)
    draw.rectangle([side * 0.2, side * 0.85, side * 0.8, side], fill=(60, 70, 110))
    oval(0.5, 0.45, 0.27, 0.34, (60, 40, 30))        # hair
    oval(0.5, 0.50, 0.23, 0.30, (224, 178, 150))     # face
    for x in (0.41, 0.59):
        oval(x, 0.44, 0.045, 0.025, (245, 245, 245))
        oval(x, 0.44, 0.02, 0.022, (50, 40, 35))
        draw.line([side * (x - 0.05), side * 0.385, side * (x + 0.05), side * 0.38],
                  fill=(60, 40, 30), width=side // 60)
    draw.line([side * 0.5, side * 0.46, side * 0.48, side * 0.57, side * 0.52, side * 0.575],
              fill=(190, 140, 115), width=side // 80)
    oval(0.5, 0.67, 0.07, 0.022, (170, 80, 80))      # mouth
    image = image.resize((dims[1], dims[2]), Image.LANCZOS)
    return np.asarray(image, dtype=np.float32)[None] / 127.5 - 1.0


def photo(dims, generator):
    height, width = dims[2:]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / max(height, width)
    planes = []
    for _ in range(dims[1]):
        plane = np.zeros((height, width), np.float32)
        for octave in range(1, 7):
            angle, phase = generator.uniform(0, np.pi), generator.uniform(0, 2 * np.pi)
            plane += np.sin(2 * np.pi * 2 ** octave * 0.7 *
                            (x * np.cos(angle) + y * np.sin(angle)) + phase) / octave
        for _ in range(6):
            cx, cy = generator.uniform(0, 1), generator.uniform(0, 1)
            r = generator.uniform(0.05, 0.3)
            plane[(x - cx) ** 2 + (y - cy) ** 2 < r * r] += generator.uniform(-2, 2)
        plane += 0.2 * generator.standard_normal(plane.shape, dtype=np.float32)
        planes.append((plane - plane.mean()) / plane.std())
    return np.stack(planes)[None].astype(np.float32)


def resample(samples, rate):
    positions = np.arange(int(len(samples) * RATE / rate)) * (rate / RATE)
    return np.interp(positions, np.arange(len(samples)), samples).astype(np.float32)


def formant_speech(seconds=1.5):
    """Vowels from a pulse train through three resonators, where espeak-ng is missing
    (Klatt 1980 gives formants and bandwidths)."""
    vowels = [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (530, 1840, 2480)]
    count, out = int(seconds * RATE), []
    for index, formants in enumerate(vowels):
        length = count // len(vowels)
        pitch = 110 + 15 * np.sin(np.arange(length) / length * np.pi + index)
        phase = np.cumsum(pitch / RATE)
        signal = np.diff(np.floor(phase), prepend=0).astype(np.float64)
        for frequency, bandwidth in zip(formants, (60, 90, 120)):
            radius = np.exp(-np.pi * bandwidth / RATE)
            a1, a2 = 2 * radius * np.cos(2 * np.pi * frequency / RATE), -radius * radius
            y1 = y2 = 0.0
            for i, value in enumerate(signal):
                y1, y2 = value + a1 * y1 + a2 * y2, y1
                signal[i] = y1
        out.append(signal * np.hanning(length) ** 0.3)
    speech = np.concatenate(out)
    return (0.5 * speech / np.abs(speech).max()).astype(np.float32)


def say(text):
    """Speech of the text at 16 kHz in [-1, 1]."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        try:
            subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", file.name, text],
                           check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            return formant_speech()
        with wave.open(file.name) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2")
            speech = resample(samples.astype(np.float32) / 32768.0, sound.getframerate())
    return np.clip(speech * (0.6 / max(1e-3, np.abs(speech).max())), -1, 1)


def fit(speech, count):
    """The loudest piece of count samples; silence in front where there are too few."""
    if len(speech) < count:
        return np.concatenate([np.zeros(count - len(speech), np.float32), speech])
    energy = np.concatenate([[0], np.cumsum(speech.astype(np.float64) ** 2)])
    start = int(np.argmax(energy[count:] - energy[:len(energy) - count]))
    return speech[start:start + count]


def mel(dims):
    frames, bands = dims[1], dims[2]
    speech = fit(say("open the window and read the message"), (frames - 1) * 160 + 512) * 32767
    windows = np.stack([speech[i * 160:i * 160 + 512] for i in range(frames)]) * np.hanning(512)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    to_mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = 700 * (10 ** (np.linspace(to_mel(60), to_mel(3800), bands + 2) / 2595) - 1)
    bins = np.arange(power.shape[1]) * RATE / 512
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    energy = power @ np.maximum(0, np.minimum(rising, falling)).T
    decibel = 10 * np.log10(np.maximum(energy, 1e-10))
    decibel = np.maximum(decibel, decibel.max() - 80)
    return (decibel / 10 + 2).astype(np.float32).reshape(dims)


def make(kind, dims, dtype, generator):
    if kind == "text_page":
        return text_page(dims)
    if kind == "text_line":
        return text_line(dims)
    if kind == "face":
        return face(dims)
    if kind == "photo":
        return photo(dims, generator)
    if kind in ("speech", "speech16"):
        speech = fit(say("open the window and read the message"), dims[1]).reshape(dims)
        return speech * 32767 if kind == "speech16" else speech
    if kind == "mel":
        return mel(dims)
    if kind == "rate":
        return np.array(RATE)
    if kind.startswith("tokens="):
        return generator.integers(0, int(kind.split("=")[1]), dims)
    if kind.startswith("mask="):
        counts = int(kind.split("=")[1]) - 9 * np.arange(dims[0])
        return np.arange(dims[1]) < counts[:, None]
    if kind == "noise":
        return 0.1 * generator.standard_normal(dims)
    sys.exit(f"error: make_inputs: unknown kind '{kind}'")


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            name, model, inputs = line.rstrip("\n").split("\t")[:3]
            parsed = []
            for text in inputs.split(";"):
                value, dims, dtype, kind = text.rsplit(":", 3)
                parsed.append((value, [int(d) for d in dims.split(",") if d], dtype, kind))
            yield name, model, parsed


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    folder, wanted = sys.argv[1], sys.argv[2:]
    for name, _, inputs in rows(os.path.join(os.path.dirname(__file__), "models.tsv")):
        if wanted and name not in wanted:
            continue
        target = os.path.join(folder, "inputs", name)
        os.makedirs(target, exist_ok=True)
        arguments = []
        for value, dims, dtype, kind in inputs:
            path = os.path.join(target, file_name(value) + ".npy")
            if dims:
                arguments += ["--input-shape", f"{value}:{','.join(map(str, dims))}"]
            arguments += ["--input", f"{value}={path}"]
            if kind.startswith("embedding="):
                speech = path[:-len(".npy")] + ".speech.npy"
                if not os.path.exists(speech):
                    np.save(speech, say(kind.split("=", 1)[1]) * np.float32(32767))
            elif not os.path.exists(path):
                array = make(kind, dims, dtype, generator_of(name, value)).astype(dtype)
                np.save(path, np.asarray(array, order="C"))
        with open(os.path.join(target, "arguments"), "w", encoding="utf-8") as file:
            file.write("".join(a + "\n" for a in arguments))


if __name__ == "__main__":
    main()
