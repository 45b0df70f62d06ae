import io  # SPDX-License-Identifier: MIT
from PIL import Image, ImageFilter


def pictures(n):
    for i in range(n):
        image = Image.effect_noise((320, 240), 40 + i)
        out = io.BytesIO()
        image.convert("RGB").save(out, "PNG")
        yield out.getvalue()


def poster(data):
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return image.filter(ImageFilter.GaussianBlur(3)).resize((96, 72))


def sheet(n):
    out = Image.new("RGB", (96 * 8, 72 * (n // 8 + 1)))
    for i, data in enumerate(pictures(n)):
        out.paste(poster(data), (96 * (i % 8), 72 * (i // 8)))
    return out


print(sheet(48).size)
