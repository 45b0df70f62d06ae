#!/bin/sh
# SPDX-License-Identifier: MIT
# AIPerf 0.13.0: `request_throughput` is not `request_count` / `benchmark_duration` of the same file. `benchmark_duration`
# ends with the last answer, and a request that fails is none; the throughputs divide by the time until the last request,
# failed or not, has ended. Seven requests of 0.1 s and one that fails after 3 s: 7 requests, 0.77 s and 1.85 requests/s,
# not 9.1. Token throughputs and `effective_concurrency` (0.19, not 0.95) are those of the longer time too, which no entry
# of the file states. With no failure the two times differ by a few milliseconds.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install aiofiles==24.1.0 aiohttp==3.14.5 aiosqlite==0.22.1 crick==0.0.8 cyclopts==4.25.3 ffmpeg-python==0.2.0 \
    jinja2==3.1.6 jmespath==1.0.1 msgspec==0.23.0 numpy==2.4.6 orjson==3.11.9 pillow==12.3.0 psutil==7.0.0 pydantic==2.14.4 \
    pydantic-settings==2.16.3 pyzmq==26.4.0 rich==14.1.0 ruamel.yaml==0.18.17 setproctitle==1.3.8 tqdm==4.70.1 \
    transformers==5.24.0 uvloop==0.22.1 zstandard==0.25.0
venv/bin/pip --quiet install --no-deps aiperf==0.13.0  # less than half of what it asks for is needed here
cat > server.py <<'PROGRAM'
import asyncio
import json

from aiohttp import web

count = 0


async def chat(request):
    global count
    count += 1
    if count == 8:
        await asyncio.sleep(3)
        return web.json_response({"error": {"message": "overloaded"}}, status=503)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    event = {"id": "app", "object": "chat.completion.chunk", "model": "app"}
    for index in range(5):
        await asyncio.sleep(0.02)
        choice = {"index": 0, "delta": {"role": "assistant", "content": "word "}, "finish_reason": "stop" if index == 4 else None}
        await response.write(b"data: " + json.dumps(event | {"choices": [choice]}).encode() + b"\n\n")
    usage = {"prompt_tokens": 4, "completion_tokens": 5, "total_tokens": 9}
    await response.write(b"data: " + json.dumps(event | {"choices": [], "usage": usage}).encode() + b"\n\ndata: [DONE]\n\n")
    return response


async def main():
    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
PROGRAM
venv/bin/python - <<'TOKENIZER'
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import PreTrainedTokenizerFast

tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(["[UNK]", "word", *"abcdefgh"])}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = Whitespace()
PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained("words")
TOKENIZER
printf '{"text": "a b c d"}\n' > prompts.jsonl
venv/bin/python server.py > port.txt &
server=$!
for _ in $(seq 100); do
    test -s port.txt && break
    sleep 0.1
done
TMPDIR=$folder venv/bin/aiperf profile --url "http://127.0.0.1:$(cat port.txt)" --model app --tokenizer "$folder/words" --use-server-token-count \
    --endpoint-type chat --streaming --input-file prompts.jsonl --custom-dataset-type single_turn --request-count 8 \
    --concurrency 1 --workers-max 1 --record-processors 1 --no-gpu-telemetry --no-server-metrics --ui none \
    --artifact-dir app > output.txt 2>&1 || { cat output.txt; exit 1; }
venv/bin/python - <<'CHECK'
import json

with open("app/profile_export_aiperf.json") as file:
    result = json.load(file)
names = ["request_count", "error_request_count", "benchmark_duration", "request_throughput", "output_token_throughput", "effective_concurrency"]
values = {name: result[name]["avg"] for name in names}
print(values)
assert values["request_count"] == 7 and values["error_request_count"] == 1
assert values["benchmark_duration"] < 2, "the failed request is now part of the duration"
divisor = values["request_count"] / values["request_throughput"]
assert divisor > values["benchmark_duration"] + 2.5, "throughput is now of the stated duration"
assert abs(values["output_token_throughput"] * divisor / 35 - 1) < 0.01
CHECK
