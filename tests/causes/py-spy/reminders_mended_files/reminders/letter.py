from jinja2 import Environment

ENV = Environment(autoescape=True)
LETTER = """
{%- macro money(x) %}{{ "%.2f"|format(x) }} EUR{% endmacro -%}
Dear {{ invoice.name }},
{% if days > 60 %}this is our LAST reminder.{% elif days > 30 %}this is our second reminder.{% else %}have you forgotten us?{% endif %}
Invoice {{ invoice.number }} of {{ invoice.due.strftime("%d.%m.%Y") }} is open since {{ days }} days.
{% for label, rate in fees %}{% if rate %}{{ label }}: {{ money(invoice.amount * rate) }}
{% endif %}{% endfor %}
Total: {{ money(total) }}
"""
TEMPLATE = ENV.from_string(LETTER)
FEES = [("interest", 0.05), ("handling", 0.01), ("court", 0.0)]


def render_letter(invoice, today):
    days = (today - invoice.due).days
    total = invoice.amount * (1 + sum(rate for _, rate in FEES))
    return TEMPLATE.render(invoice=invoice, days=days, total=total, fees=FEES)
