def split_fields(line):
    """Fields of a line; a comma inside quotes does not count."""
    fields, field, quoted = [], "", False
    for c in line.rstrip():
        if c == '"':
            quoted = not quoted
        elif c == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += c
    fields.append(field)
    return fields
