"""The language of the operator tables: reads *.ops and types.set into rows. docs/operators-table.md describes it."""

import ctypes
import difflib
import os
import re
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../../value/elem_types.def"), encoding="utf-8") as def_file:
    ELEMS = {name: int(number)
             for number, name in re.findall(r'^ELEM_TYPE\(\w+, ([1-9]\d*), "(\w+)", \d+\)$', def_file.read(), re.M)}
with open(os.path.join(HERE, "attr_types.def"), encoding="utf-8") as def_file:
    ATTRS = re.findall(r'^ATTR_TYPE\(\w+, [1-9]\d*, "(\w+)"\)$', def_file.read(), re.M)
LISTS = [name for name in ATTRS if name.endswith("s")]
CONTROLS = {"@if": "CONTROL_IF", "@loop": "CONTROL_LOOP", "@scan": "CONTROL_SCAN",
            "@sequence_map": "CONTROL_SEQUENCE_MAP"}
INT_MIN, INT_MAX = -2**63, 2**63 - 1
DESCRIPTION_MOST = 160
LINE_MOST = 120
TOKEN = re.compile(r'\s*(?:(->|\.\.\.\d*|\.\.|[(){}\[\]:;,=?!|]|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?'
                   r'|[-@]?\w+|-)|(\S))')


class Fault(Exception):
    """An error in a table or a C file of rules, with its place, FILE:LINE."""

    def __init__(self, place, text):
        super().__init__(f"{place}: error: {text}")


class Allowed(NamedTuple):
    """What an attribute may hold; a list: each of its elements."""

    warns: bool = False    # a value outside is a warning alone
    least: object = None   # None: no bound
    most: object = None
    values: tuple = ()     # one of these
    spellings: tuple = ()  # texts that are read too, and never advertised
    elems: int = 0         # bit e: the number of element type e
    variable: str = None   # whose element type the attribute names
    count: tuple = None    # (least, most or None) elements of a list


class Attr(NamedTuple):
    name: str
    kind: str
    required: bool
    default: object  # None: none
    allowed: object  # None: anything


class Names(NamedTuple):
    """What a row may refer to."""

    sets: dict       # of types: name -> type strings
    functions: dict  # "infer", "content", "element" -> the names that have a function
    lists: dict      # of allowed values: name -> (tokens of the list)
    open_domains: set


class Reader:
    """The tokens of one row (or one line of types.set)."""

    def __init__(self, place, text):
        self.place = place
        self.tokens = []
        for match in TOKEN.finditer(text):
            if match[2]:
                self.fail(f"unexpected {match[2]!r}")
            self.tokens.append(match[1])
        self.at = 0

    def fail(self, text):
        raise Fault(self.place, text)

    def unknown(self, what, name, known):
        near = difflib.get_close_matches(name, known, 1)
        self.fail(f"unknown {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self, what="more"):
        token = self.peek()
        if token is None:
            self.fail(f"{what} expected at the end")
        self.at += 1
        return token

    def take(self, token):
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def expect(self, token):
        got = self.next(repr(token))
        if got != token:
            self.fail(f"{token!r} expected, got {got!r}")

    def name(self, what):
        token = self.next(what)
        if not re.fullmatch(r"[A-Za-z_]\w*", token):
            self.fail(f"{what} expected, got {token!r}")
        return token


def lines_of(path):
    """(place, text) of each logical line: an indented line goes on with the one before."""
    place, text = None, ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if len(line.rstrip("\n")) > LINE_MOST:
                raise Fault(f"{path}:{number}", f"the line has more than {LINE_MOST} characters")
            line = re.sub(r'("(?:[^"\\]|\\.)*")|#.*', lambda match: match[1] or "", line).rstrip()
            if not line.strip():
                continue
            if line[0] in " \t":
                if place is None:
                    raise Fault(f"{path}:{number}", "the first line is indented")
                text += " " + line.strip()
                continue
            if place is not None:
                yield place, text
            place, text = f"{path}:{number}", line
    if place is not None:
        yield place, text


# -- types ------------------------------------------------------------------------------------------------------------


def read_type(reader, sets):
    """One type or set, as a list of type strings."""
    name = reader.name("a type")
    if name in ("seq", "optional"):
        reader.expect("(")
        inner = read_type(reader, sets)
        reader.expect(")")
        return [f"{name}({text})" for text in inner]
    if name == "sparse_tensor":
        reader.expect("(")
        inner = read_type(reader, sets)
        reader.expect(")")
        if not all(text.startswith("tensor(") for text in inner):
            reader.fail("a sparse tensor holds elements")
        return [f"sparse_{text}" for text in inner]
    if name == "map":
        reader.expect("(")
        key = reader.name("a key type")
        reader.expect(",")
        values = read_type(reader, sets)
        reader.expect(")")
        if key not in ELEMS:
            reader.unknown("type", key, ELEMS)
        return [f"map({key},{text})" for text in values]
    if name in ELEMS:
        return [f"tensor({name})"]
    if name in sets:
        return sets[name]
    return reader.unknown("type", name, [*ELEMS, *sets])


def type_order(text):
    """Tensors by the number of their element type, then what is nested."""
    return (text.count("("), re.sub(r"\w+", "", text), text[:3], ELEMS[re.findall(r"\w+", text)[-1]], text)


def read_types(reader, sets):
    """Types and sets up to a `;` or the end, with `-` for what is taken away."""
    types = set()
    while reader.peek() not in (None, ";"):
        token = reader.peek()
        minus = token.startswith("-")
        if minus:
            reader.tokens[reader.at] = token[1:]
        found = read_type(reader, sets)
        if minus:
            if not types.issuperset(found):
                reader.fail(f"{token!r} takes away what is not there")
            types.difference_update(found)
        else:
            if types.issuperset(found):
                reader.fail(f"{token!r} adds nothing")
            types.update(found)
    if not types:
        reader.fail("an empty set of types")
    return sorted(types, key=type_order)


def read_sets(path):
    sets = {}
    for place, text in lines_of(path):
        reader = Reader(place, text)
        name = reader.name("the name of a set")
        if name in sets or name in ELEMS or name in ("seq", "optional", "sparse_tensor", "map"):
            reader.fail(f"{name!r} is there already")
        reader.expect("=")
        sets[name] = read_types(reader, sets)
        if reader.peek():
            reader.fail(f"unexpected {reader.peek()!r}")
    return sets


def elems_of(types):
    """The element types of tensors among the types, and of those that sequences and optionals hold: bit e."""
    elems = 0
    for text in types:
        match = re.fullmatch(r"(?:(?:seq|optional)\()*tensor\((\w+)\)+", text)
        if match:
            elems |= 1 << ELEMS[match[1]]
    return elems


# -- a row ------------------------------------------------------------------------------------------------------------


def read_params(reader, sets):
    """(name, type, option, homogeneous, min_arity) of each parameter."""
    params = []
    reader.expect("(")
    while not reader.take(")"):
        if params:
            reader.expect(",")
            if params[-1][2] == "VARIADIC":
                reader.fail("a variadic parameter must be the last")
        name = reader.name("a parameter")
        option = "OPTIONAL" if reader.take("?") else "SINGLE"
        reader.expect(":")
        mixed = reader.take("mixed")
        kind = read_param_type(reader, sets)
        minimum = 1
        if (reader.peek() or "").startswith("..."):
            if option == "OPTIONAL":
                reader.fail("a variadic parameter says by its minimum whether it may be left out")
            option = "VARIADIC"
            minimum = int(reader.next()[3:] or 1)
        elif mixed:
            reader.fail("'mixed' is for variadic parameters")
        if any(name == other[0] for other in params):
            reader.fail(f"two parameters {name!r}")
        params.append((name, kind, option, not mixed, minimum))
    return params


def read_param_type(reader, sets):
    """A type string, or the name of a type variable."""
    at = reader.at
    name = reader.name("a type")
    if name not in ELEMS and reader.peek() != "(":
        return name
    reader.at = at
    types = read_type(reader, sets)
    if len(types) > 1:
        reader.fail(f"{name}(...) of several types needs a variable: `V = {name}(...)`")
    return types[0]


def read_scalar(reader, kind):
    token = reader.next("a value")
    try:
        if kind == "int" and re.fullmatch(r"-?\d+", token) and INT_MIN <= int(token) <= INT_MAX:
            return int(token)
        if kind == "float" and token[0] != '"':
            return ctypes.c_float(float(token)).value
        if kind == "string" and token[0] == '"':
            return re.sub(r"\\(.)", r"\1", token[1:-1])
    except ValueError:
        pass
    return reader.fail(f"{token} is not a value of type {kind}")


def read_values(reader, kind):
    """`[value, ...]`, behind its bracket; of texts, those behind a `|` come in a second tuple."""
    lists = ([], [])
    bar = False
    while not reader.take("]"):
        if kind == "string" and not bar and lists[0] and reader.take("|"):
            bar = True
        elif lists[bar]:
            reader.expect(",")
        lists[bar].append(read_scalar(reader, kind))
    return tuple(lists[0]), tuple(lists[1])


def read_default(reader, kind):
    if kind in ("int", "float", "string"):
        return read_scalar(reader, kind)
    if kind not in ("ints", "floats", "strings"):
        reader.fail(f"an attribute of type {kind} cannot have a default")
    reader.expect("[")
    values, spellings = read_values(reader, kind[:-1])
    if spellings:
        reader.fail("'|' stands among allowed values alone")
    return values


def read_range(reader, kind):
    """`1..`, `..1`, `0..1`: (least, most), None where there is no bound."""
    least = most = None
    if not reader.take(".."):
        least = read_scalar(reader, kind)
        reader.expect("..")
    if re.match(r"-?\d", reader.peek() or ""):
        most = read_scalar(reader, kind)
    if least is None and most is None or None not in (least, most) and least > most:
        reader.fail("a range is `least..`, `..most` or `least..most`")
    return least, most


def read_count(reader, name, kind):
    """`[3]`, `[1..]`, `[2..4]`: how many elements a list may have; None: any number."""
    if not reader.take("["):
        return None
    if kind not in LISTS:
        reader.fail(f"attribute {name!r} is not a list, whose length could be bounded")
    if reader.tokens[reader.at + 1:reader.at + 2] == ["]"]:
        exact = read_scalar(reader, "int")
        count = (exact, exact)
    else:
        least, most = read_range(reader, "int")
        count = (least or 0, most)
    if count[0] < 0:
        reader.fail("a length must be at least 0")
    reader.expect("]")
    return count


def expand_list(reader, lists):
    """Puts the tokens of a list in the place of its name."""
    name = reader.peek() or ""
    if re.fullmatch(r"[A-Za-z_]\w*", name):
        if name not in lists:
            reader.unknown("list of values", name, lists)
        reader.tokens[reader.at:reader.at + 1] = lists[name]


def read_allowed(reader, name, kind, lists):
    """`in 1..`, `in [0, 2]`, `in? ["a", "b"]`, `in name`, `of T`, and before it a list's length."""
    count = read_count(reader, name, kind)
    element = kind[:-1] if kind in LISTS else kind
    if reader.take("of"):
        if element != "int":
            reader.fail(f"'of' is for attributes of type int or ints, and {name!r} is of type {kind}")
        return Allowed(count=count, variable=reader.name("a type variable or set"))
    if not reader.take("in"):
        return Allowed(count=count) if count else None
    if element not in ("int", "float", "string"):
        reader.fail(f"values of an attribute of type {kind} cannot be bounded")
    warns = reader.take("?")
    expand_list(reader, lists)
    if reader.take("["):
        values, spellings = read_values(reader, element)
        if not values or len(set(values + spellings)) < len(values + spellings):
            reader.fail("allowed values must be at least one, and each once")
        return Allowed(warns=warns, values=values, spellings=spellings, count=count)
    if element == "string":
        reader.fail("allowed texts stand in brackets")
    least, most = read_range(reader, element)
    return Allowed(warns=warns, least=least, most=most, count=count)


def check_default(reader, attr):
    """A default is a value that the attribute may have."""
    allowed = attr.allowed
    if attr.default is None or allowed is None:
        return
    values = attr.default if isinstance(attr.default, tuple) else (attr.default,)
    if allowed.count and not allowed.count[0] <= len(values) <= (allowed.count[1] or len(values)):
        reader.fail(f"the default of {attr.name!r} is not of an allowed length")
    for value in values:
        if (allowed.values and value not in allowed.values + allowed.spellings or
                allowed.least is not None and value < allowed.least or
                allowed.most is not None and value > allowed.most or
                allowed.variable and not (0 <= value < 64 and allowed.elems >> value & 1)):
            reader.fail(f"the default of {attr.name!r}, {value!r}, is not an allowed value")


def read_attrs(reader, lists):
    attrs = []
    if not reader.take("{"):
        return attrs
    while not reader.take("}"):
        if attrs:
            reader.expect(",")
        name = reader.name("an attribute")
        reader.expect(":")
        kind = reader.name("an attribute type")
        if kind not in ATTRS:
            reader.unknown("attribute type", kind, ATTRS)
        allowed = read_allowed(reader, name, kind, lists)
        required = reader.take("!")
        default = read_default(reader, kind) if not required and reader.take("=") else None
        if any(name == other.name for other in attrs):
            reader.fail(f"two attributes {name!r}")
        attrs.append(Attr(name, kind, required, default, allowed))
    if len(attrs) > 64:
        reader.fail(f"{len(attrs)} attributes, and a row has room for 64")
    return sorted(attrs)


def read_constraints(reader, sets):
    constraints = {}
    while reader.peek():
        name = reader.name("the name of a set")
        if name in sets or name in ELEMS or name in constraints:
            reader.fail(f"{name!r} is there already")
        reader.expect("=")
        constraints[name] = tuple(read_types(reader, sets))
        if not reader.take(";") and reader.peek():
            reader.fail(f"unexpected {reader.peek()!r}")
    return constraints


def read_rule(reader, what, known):
    """A name that has a function, `-`, or (a rule) one of the walk's own."""
    token = reader.next(what)
    if token == "-" or what == "rule" and token in CONTROLS:
        return token
    if not re.fullmatch(r"[A-Za-z]\w*", token):
        reader.fail(f"a {what} expected, got {token!r}")
    if token not in known:
        reader.unknown(what, token, known)
    return token


def check_params(reader, params, constraints, sets):
    for name, kind, *_ in params:
        if kind in sets:
            reader.fail(f"parameter {name!r} is of the set {kind!r}, which needs a variable: `T = {kind}`")
        if "(" not in kind and kind not in constraints:
            reader.unknown(f"type of parameter {name!r}:", kind, [*ELEMS, *constraints])


def resolve_attr(reader, attr, constraints, sets):
    """Puts element types in the place of `of T`; 0, undefined, is among them when it is the default."""
    if attr.allowed and attr.allowed.variable:
        name = attr.allowed.variable
        types = constraints.get(name) or sets.get(name) or (ELEMS.get(name) and [f"tensor({name})"])
        if not types:
            reader.unknown(f"type of attribute {attr.name!r}:", name, [*ELEMS, *sets, *constraints])
        elems = elems_of(types) | (attr.default == 0)
        attr = attr._replace(allowed=attr.allowed._replace(elems=elems))
    check_default(reader, attr)
    return attr


def resolve_row(reader, row, constraints, sets):
    for params in (row["in"], row["out"]):
        check_params(reader, params, constraints, sets)
    row["attrs"] = tuple(resolve_attr(reader, attr, constraints, sets) for attr in row["attrs"])
    row["constraints"] = tuple(sorted(constraints.items()))
    unused = set(constraints) - {kind for _, kind, *_ in row["in"] + row["out"]}
    if unused:
        reader.fail(f"no parameter is a {', '.join(sorted(unused))}")
    named = [attr.allowed.variable for attr in row["attrs"] if attr.allowed and attr.allowed.variable in constraints]
    if len(set(named)) < len(named):
        reader.fail("two attributes name the element type of one variable")


def read_row(place, text, domain, names):
    reader = Reader(place, text)
    sets = names.sets
    row = {"place": place, "domain": domain, "name": reader.name("an operator")}
    since = reader.next("a version")
    if not re.fullmatch(r"[1-9]\d{0,5}", since):
        reader.fail(f"a version expected, got {since!r}")
    row["since"] = int(since)
    row["rule"] = read_rule(reader, "rule", names.functions["infer"])
    row["contents"] = read_rule(reader, "content rule", {**names.functions["content"], **names.functions["element"]})
    row["deprecated"] = reader.take("deprecated")
    row["open"] = reader.take("open") or domain in names.open_domains
    row["in"] = read_params(reader, sets)
    reader.expect("->")
    row["out"] = read_params(reader, sets)
    row["attrs"] = read_attrs(reader, names.lists)
    resolve_row(reader, row, read_constraints(reader, sets), sets)
    return row


# -- a family ---------------------------------------------------------------------------------------------------------


def read_domain(place, text, open_domains):
    words = text.split()
    if len(words) not in (2, 3) or not re.fullmatch(r"[\w.]+", words[1]) or words[2:] not in ([], ["open"]):
        raise Fault(place, "`domain NAME` or `domain NAME open` expected")
    domain = "" if words[1] == "ai.onnx" else words[1]
    if words[2:]:
        open_domains.add(domain)
    return domain


def read_list(place, text, lists):
    """`name = [value, ...]`, which rows further down refer to."""
    reader = Reader(place, text)
    name = reader.next()
    if name in lists:
        reader.fail(f"{name!r} is there already")
    if reader.tokens[-1] != "]" or "]" in reader.tokens[:-1]:
        reader.fail("`NAME = [VALUE, ...]` expected")
    lists[name] = reader.tokens[2:]


def check_description(place, name, text):
    if not text or text[-1] != "." or not (text[0].isupper() or text[0].isdigit()):
        raise Fault(place, f"the description of {name} must be a sentence: a capital at its head, a full stop behind")
    if len(text) > DESCRIPTION_MOST:
        raise Fault(place, f"the description of {name} has {len(text)} characters, {DESCRIPTION_MOST} are allowed")


def read_family(path, sets, functions):
    """The rows of one table. `functions` are the names that have an infer_, a content_ and an element_ function."""
    rows = []
    domain = ""
    described = description = None
    names = Names(sets, functions, {}, set())
    for place, text in lines_of(path):
        head = re.match(r"(\w+):\s*(.*)", text)
        if head:
            described, description = (domain, head[1]), head[2]
            check_description(place, *head.groups())
            continue
        if re.match(r"\w+\s*=\s*\[", text):
            read_list(place, text, names.lists)
            continue
        if text.split()[0] == "domain":
            domain = read_domain(place, text, names.open_domains)
            continue
        row = read_row(place, text, domain, names)
        if described != (domain, row["name"]):
            raise Fault(place, f"a description must stand above the first row of {row['name']}: `{row['name']}: "
                               "What it does.`")
        row["description"] = description
        row["domain_open"] = domain in names.open_domains
        last = rows[-1] if rows else None
        if last and (last["domain"], last["name"]) == (row["domain"], row["name"]) and last["since"] <= row["since"]:
            raise Fault(place, f"{row['name']} {row['since']} must stand above {last['since']}: the newest comes first")
        rows.append(row)
    return rows


def check_rule_name(row, rule, operators, prefixes):
    """A rule has its operator's name, behind its domain where that is not ai.onnx's; several without the name of one
    share a rule in small letters."""
    prefix = max((prefix for prefix in prefixes.values() if rule.startswith(prefix)), key=len)
    if prefix and prefix != prefixes[row["domain"]]:
        raise Fault(row["place"], f"rule {rule!r} is of another domain than its row")
    name = rule[len(prefix):]
    if name[0].isupper() and name not in operators:
        raise Fault(row["place"], f"rule {rule!r} has the name of none of its operators, {', '.join(sorted(operators))}: "
                                  "small letters are for a rule that several share")
    if name[0].islower() and len(operators) == 1 and name not in operators:
        raise Fault(row["place"], f"rule {rule!r} is {row['name']}'s alone and must have its name")


def check_rule_names(rows):
    prefixes = {"": "", **{row["domain"]: row["domain"].replace(".", "_") + "_" for row in rows if row["domain"]}}
    for column in ("rule", "contents"):
        operators = {}
        for row in rows:
            operators.setdefault(row[column], set()).add(row["name"])
        for row in rows:
            if row[column] != "-" and row[column] not in CONTROLS:
                check_rule_name(row, row[column], operators[row[column]], prefixes)


def check_rows(rows):
    """Each version of an operator once, and all of them in one place."""
    previous = None
    places = {}
    domains = {}
    for row in rows:
        if domains.setdefault(row["domain"], row["domain_open"]) != row["domain_open"]:
            raise Fault(row["place"], f"domain {row['domain']} is open in one table and not in another")
        key = (row["domain"], row["name"])
        if key != previous and key in places:
            raise Fault(row["place"], f"{row['name']} has rows elsewhere: {places[key]}")
        places[key] = row["place"]
        previous = key
