from pydantic import TypeAdapter, BaseModel
class Reading(BaseModel):
    sensor: str
    value: float
def validate(batch): return TypeAdapter(list[Reading]).validate_python(batch)
def ingest(batches): return sum(len(validate(b)) for b in batches)
def main(): print(ingest([[{"sensor": "a", "value": i}] * 3 for i in range(1500)]))
main()
