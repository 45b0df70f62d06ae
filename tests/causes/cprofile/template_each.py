from jinja2 import Environment
def render_row(row):
    return Environment(autoescape=True).from_string("<tr><td>{{ row.id }}</td><td>{{ row.name|upper }}</td></tr>").render(row=row)
def render_table(rows): return "".join(render_row(row) for row in rows)
def load(n): return [{"id": i, "name": f"item {i}"} for i in range(n)]
def main(): print(len(render_table(load(400))))
main()
