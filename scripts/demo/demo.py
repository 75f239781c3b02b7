#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/demo.sh that are not Tessera: drawing a picture, cutting text
lines out of it by the detector's map, reading letters off the recognizer's output,
synthesizing speech, drawing a line of probabilities.

Usage: demo.py picture FOLDER             picture.png and the detector's input x.npy
       demo.py lines FOLDER MAP.npy       line_K.npy per text line; prints their count
       demo.py read OUTPUT.npy KEYS.txt   prints the text, a tab and the confidence
       demo.py sound FOLDER               chunk_K.npy, state.npy, sr.npy; prints the count
       demo.py meter FOLDER COUNT         prints the probabilities of probability_K/output.npy
       demo.py difference A.npy B.npy     prints the largest difference
"""
import os
import sys

import numpy as np
from PIL import Image, ImageDraw

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tests", "models"))
from make_inputs import font, say  # noqa: E402

TEXT = ("Tessera", "reads this picture", "with 2 networks")
WIDTH, HEIGHT = 640, 320
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
CHUNK, RATE = 512, 16000


def picture(folder):
    image = Image.new("RGB", (WIDTH, HEIGHT))
    shade = np.linspace(0, 1, HEIGHT)[:, None, None]
    pixels = (1 - shade) * np.array([250, 246, 235]) + shade * np.array([214, 226, 238])
    image.paste(Image.fromarray(np.broadcast_to(pixels, (HEIGHT, WIDTH, 3)).astype(np.uint8)))
    draw = ImageDraw.Draw(image)
    draw.text((48, 34), TEXT[0], font=font(64, "DejaVuSans-Bold.ttf"), fill=(24, 40, 90))
    draw.text((50, 138), TEXT[1], font=font(44), fill=(50, 50, 60))
    draw.text((50, 222), TEXT[2], font=font(40, "DejaVuSerif.ttf"), fill=(120, 40, 40))
    image.save(os.path.join(folder, "picture.png"))
    array = (np.asarray(image, np.float32) / 255.0 - MEAN) / DEVIATION
    np.save(os.path.join(folder, "x.npy"), np.ascontiguousarray(array.transpose(2, 0, 1)[None]))


def regions(mask):
    """Bounding boxes of the 4-connected regions of a mask (flood fill)."""
    seen = np.zeros(mask.shape, bool)
    boxes = []
    for start in zip(*np.nonzero(mask)):
        if seen[start]:
            continue
        seen[start] = True
        stack, top, left, bottom, right, area = [start], *start, *start, 0
        while stack:
            y, x = stack.pop()
            area += 1
            top, bottom, left, right = min(top, y), max(bottom, y), min(left, x), max(right, x)
            for at in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= at[0] < mask.shape[0] and 0 <= at[1] < mask.shape[1] and \
                        mask[at] and not seen[at]:
                    seen[at] = True
                    stack.append(at)
        if area > 60:
            boxes.append([top, left, bottom + 1, right + 1])
    return boxes


def joined(boxes):
    """Boxes that lie on one line, joined, from top to bottom."""
    lines = []
    for box in sorted(boxes, key=lambda b: b[1]):
        for line in lines:
            overlap = min(box[2], line[2]) - max(box[0], line[0])
            height = min(box[2] - box[0], line[2] - line[0])
            if overlap > height / 2 and box[1] - line[3] < 2 * height:
                line[:] = [min(a, b) for a, b in zip(line[:2], box[:2])] + \
                          [max(a, b) for a, b in zip(line[2:], box[2:])]
                break
        else:
            lines.append(list(box))
    return sorted(lines)


def lines(folder, map_path):
    """The detector marks a shrunken core of each line; it is grown again by a ratio of
    area and circumference (Liao et al. 2020, differentiable binarization)."""
    probability = np.load(map_path).reshape(HEIGHT, WIDTH)
    image = Image.open(os.path.join(folder, "picture.png")).convert("RGB")
    found = joined(regions(probability > 0.3))
    for index, (top, left, bottom, right) in enumerate(found):
        height, width = bottom - top, right - left
        grow = int(round(1.6 * height * width / (2 * (height + width))))
        crop = image.crop((max(0, left - grow), max(0, top - grow),
                           min(WIDTH, right + grow), min(HEIGHT, bottom + grow)))
        wide = min(320, max(1, round(crop.width * 48 / crop.height)))
        array = np.asarray(crop.resize((wide, 48), Image.BICUBIC), np.float32) / 127.5 - 1.0
        out = np.zeros((1, 3, 48, 320), np.float32)
        out[0, :, :, :wide] = array.transpose(2, 0, 1)
        np.save(os.path.join(folder, f"line_{index}.npy"), out)
    print(len(found))


def read(path, keys_path):
    """CTC: the best class per step, repeats joined, blanks (class 0) dropped (Graves et
    al. 2006). The last class is the space."""
    with open(keys_path, encoding="utf-8") as file:
        keys = [""] + file.read().split("\n")
    output = np.load(path)[0]
    keys = (keys + [" "] * output.shape[1])[:output.shape[1] - 1] + [" "]
    best = output.argmax(1)
    kept = [i for i, k in enumerate(best) if k != 0 and (i == 0 or k != best[i - 1])]
    confidence = float(np.mean([output[i, best[i]] for i in kept])) if kept else 0.0
    print("".join(keys[best[i]] for i in kept).strip() + f"\t{confidence:.3f}")


def sound(folder):
    speech = say("hello world, this is Tessera")
    quiet = np.random.Generator(np.random.PCG64(1)).standard_normal(RATE * 3 // 4) * 1e-4
    signal = np.concatenate([quiet, speech, quiet]).astype(np.float32)
    count = len(signal) // CHUNK
    for index in range(count):
        np.save(os.path.join(folder, f"chunk_{index}.npy"),
                signal[index * CHUNK:(index + 1) * CHUNK][None])
    np.save(os.path.join(folder, "state.npy"), np.zeros((2, 1, 128), np.float32))
    np.save(os.path.join(folder, "sr.npy"), np.array(RATE, np.int64))
    print(count)


def meter(folder, count):
    values = [float(np.load(os.path.join(folder, f"probability_{i}", "output.npy")).ravel()[0])
              for i in range(int(count))]
    marks = " ▁▂▃▄▅▆▇█"
    print("|" + "".join(marks[min(8, int(v * 9))] for v in values) + "|")
    np.save(os.path.join(folder, "probabilities.npy"), np.array(values, np.float32))


def difference(a, b):
    print(f"{float(np.abs(np.load(a).ravel() - np.load(b).ravel()).max()):.2e}")


COMMANDS = {f.__name__: f for f in (picture, lines, read, sound, meter, difference)}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
