import jinja2  # SPDX-License-Identifier: MIT

SOURCE = "Dear {{ name }},\n{% for i in items %}{{ loop.index }}. {{ i|upper }} {% if i|length > 3 %}*{% endif %}\n{% endfor %}"


class Mailer:
    env = jinja2.Environment(trim_blocks=True)
    source = env.from_string(SOURCE)

    def render(self, name, items):
        return self.source.render(name=name, items=items)

    def batch(self, people):
        return [self.render(p, ["pen", "paper", "ink"]) for p in people]


print(sum(map(len, Mailer().batch([f"p{i}" for i in range(500)]))))
