#!/bin/sh
# SPDX-License-Identifier: MIT
# guidellm 0.8.1: `inter_token_latency_ms` and `time_per_output_token_ms` hold one mean for each request, which counts once
# for each of its tokens. So `count` is the number of tokens, and one long answer is the median of a run. Nine requests of
# ten tokens, 40 ms apart, and one of 400 tokens, 2 ms apart: the median is 2.2 ms, the count 480, and no gap was kept.
# `output_tokens_per_second` of the same run weights by time, and its median is 24.8 tokens/s, which is 40 ms for a token.
# A tool that counts each request once, such as AIPerf, has 40 ms as median of the same load.
# guidellm is run without torch: it needs the classes for loading prompts, which a small module provides.
# Fails if that changes.
set -eu
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet install aiohttp==3.14.5 click==8.4.2 culsans==0.10.0 datasets==5.2.0 faker==40.63.0 ftfy==6.3.1 'httpx[http2]==0.28.1' jinja2==3.1.6 \
    loguru==0.7.3 more-itertools==11.2.1 msgpack==1.2.4 numpy==2.4.6 pydantic==2.14.4 pydantic-settings==2.16.3 \
    pyyaml==6.0.4 rich==15.0.0 sanic==25.12.1 tabulate==0.10.0 transformers==5.24.0 uvloop==0.23.0 websockets==17.4
venv/bin/pip --quiet install --no-deps guidellm==0.8.1
mkdir -p modules/torch/utils/data
cat > modules/torch/__init__.py <<'PROGRAM'
from . import utils


class Tensor:
    pass


class Generator:
    def manual_seed(self, seed):
        return self


class nn:
    class Module:
        pass
PROGRAM
echo 'from . import data' > modules/torch/utils/__init__.py
cat > modules/torch/utils/data/__init__.py <<'PROGRAM'
def get_worker_info():
    return None
PROGRAM
cat > modules/torch/utils/data/dataset.py <<'PROGRAM'
from typing import Generic, TypeVar

Item = TypeVar("Item")


class IterableDataset(Generic[Item]):
    pass
PROGRAM
cat > modules/torch/utils/data/dataloader.py <<'PROGRAM'
from typing import Generic, TypeVar

Item = TypeVar("Item")


class DataLoader(Generic[Item]):
    def __init__(self, dataset, **options):
        self.dataset = dataset

    def __iter__(self):
        return iter(self.dataset)
PROGRAM
cat > server.py <<'PROGRAM'
import asyncio
import json

from aiohttp import web


async def chat(request):
    body = await request.json()
    count, gap = (400, 0.002) if "long" in json.dumps(body["messages"]) else (10, 0.04)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    event = {"id": "app", "object": "chat.completion.chunk", "model": "app"}
    for index in range(count):
        await asyncio.sleep(gap)
        choice = {"index": 0, "delta": {"content": "word "}, "finish_reason": "length" if index == count - 1 else None}
        await response.write(b"data: " + json.dumps(event | {"choices": [choice]}).encode() + b"\n\n")
    usage = {"prompt_tokens": 4, "completion_tokens": count, "total_tokens": count + 4}
    await response.write(b"data: " + json.dumps(event | {"choices": [], "usage": usage}).encode() + b"\n\ndata: [DONE]\n\n")
    return response


async def answer(request):
    return web.json_response({"object": "list", "data": [{"id": "app", "object": "model"}]})


async def main():
    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/{path:.*}", answer)
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

tokenizer = Tokenizer(WordLevel({word: index for index, word in enumerate(["[UNK]", "word", "long", "short"])}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = Whitespace()
PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained("words")
TOKENIZER
{
    echo prompt
    for number in 1 2 3 4 5 6 7 8 9; do
        echo "short $number"
    done
    echo "long 10"
} > prompts.csv
venv/bin/python server.py > port.txt &
server=$!
for _ in $(seq 100); do
    test -s port.txt && break
    sleep 0.1
done
PYTHONPATH=modules TMPDIR=$folder venv/bin/guidellm run --profile kind=synchronous --constraint kind=max_requests,count=10 \
    --backend "kind=openai_http,target=http://127.0.0.1:$(cat port.txt),model=app,request_format=/v1/chat/completions" \
    --tokenizer "kind=hf_auto,model=$folder/words" --data kind=csv_file,path=prompts.csv --output kind=json,path=app.json \
    > output.txt 2>&1 || { cat output.txt; exit 1; }
venv/bin/python - <<'CHECK'
import json
import statistics

with open("app.json") as file:
    (benchmark,) = json.load(file)["benchmarks"]
requests = benchmark["requests"]["successful"]
median = statistics.median(request["inter_token_latency_ms"] for request in requests)
stated = benchmark["metrics"]["inter_token_latency_ms"]["successful"]
rate = benchmark["metrics"]["output_tokens_per_second"]["successful"]["median"]
print({"requests": len(requests), "median of requests": median, "median": stated["median"], "count": stated["count"], "tokens/s": rate})
assert len(requests) == 10 and median > 35
assert stated["count"] == 480, "each request counts once now"
assert stated["median"] < 10 and stated["median"] == min(request["inter_token_latency_ms"] for request in requests)
assert 1000 / rate > 4 * stated["median"]
CHECK
