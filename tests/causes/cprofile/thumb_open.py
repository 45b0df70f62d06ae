import io
from PIL import Image
def encode():
    buffer = io.BytesIO(); Image.effect_noise((500, 400), 60).convert("RGB").save(buffer, "JPEG"); return buffer.getvalue()
def thumbnail(data, size): image = Image.open(io.BytesIO(data)); image.thumbnail(size, Image.Resampling.LANCZOS); return image
def variants(data): return [thumbnail(data, (s, s)) for s in range(40, 300, 4)]
def main():
    data = encode(); print(sum(len(variants(data)) for _ in range(6)))
main()
