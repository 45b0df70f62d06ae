import io
from PIL import Image
def encode():
    buffer = io.BytesIO(); Image.effect_noise((500, 400), 60).convert("RGB").save(buffer, "JPEG"); return buffer.getvalue()
def variants(data):
    image = Image.open(io.BytesIO(data)); image.load(); out = []
    for s in range(296, 39, -4):
        image = image.copy(); image.thumbnail((s, s), Image.Resampling.LANCZOS); out.append(image)
    return out
def main():
    data = encode(); print(sum(len(variants(data)) for _ in range(6)))
main()
