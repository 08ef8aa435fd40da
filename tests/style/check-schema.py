# SPDX-License-Identifier: MIT
"""One schema: fields.def, columns.def, the path tables of lib/manifest and the names of members in its code agree with
lib/manifest/schema/*.def; columns and options of schedule calls are part of a call's record, options of its
fingerprint too."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "documents"))
import common
import enums

Member = collections.namedtuple("Member", "type cardinality child")
MANIFEST = common.SOURCE / "lib/manifest"
ITEM = r'\s*(?:"[^"]*"\s*)+|[^,"()]+'

# objects of fields.def that are not part of a Kubernetes object: values, whole lists, and forms of the library's own
OWN_OBJECTS = set("""PAIR AMOUNT MOMENT INT_OR_TEXT RAW LABELS TEXTS TAINTS API_ENABLEMENTS RESOURCE_MODELS MODELINGS
    CONDITIONS TARGET_COMPONENTS EVENT POD_RESOURCES CONTAINER_RESOURCES QUOTAS QUOTA BUDGET WHITE_LIST WHITE_KIND
    POD_PATCH SCALE_SPEC""".split())
# objects whose shape is ANY: checks ignore data that a controller of another project writes
UNCHECKED_OBJECTS = {"VERSION_STATUS", "UNITED_STATUS", "UNITED_UPDATE", "UNITED_SUBSET_STATUS"}
# objects that have some members of their shape: columns hold others, no decision needs the rest
PARTIAL_OBJECTS = {"METADATA", "BINDING_SPEC", "SUSPENSION", "BINDING_STATUS", "CLUSTER_SPEC", "FEDERATED_QUOTA_SPEC",
                   "FEDERATED_QUOTA_STATUS", "UNITED_SPEC", "UNITED_SUBSET"}
WITHOUT_FIELD = {("CONDITION", "observedGeneration")}
# of every kind; the type of a record is its kind
OF_KINDS = {"apiVersion", "kind"}

# shapes at which paths begin, by the table of columns.def; other tables have paths of one of these
TABLE_SHAPES = {"CLUSTER": "CLUSTER", "BINDING": "BINDING", "TARGET": "BINDING", "TASK": "BINDING",
                "STATUS_ITEM": "BINDING", "COMPONENT": "BINDING", "NODE": "NODE", "POD": "POD", "SPREAD_POD": "POD",
                "WORKLOAD": "WORKLOAD", "REPLICA_SET": "WORKLOAD", "ALLOCATED": "UNITED_DEPLOYMENT"}
KINDS = sorted({*TABLE_SHAPES.values(), "PROPAGATION_POLICY", "WORKLOAD_REBALANCER", "TAINT_POLICY", "FEDERATED_QUOTA",
                "WORKLOAD_SPREAD", "RESOURCE_QUOTA", "DISRUPTION_BUDGET", "PRIORITY_CLASS", "CRON_JOB"})
MEMORY_TABLES = {"UNHEALTHY", "HISTORY"}  # memory of steps, which only records of calls hold

# tables whose columns recorded calls hold, and how they hold those that no table of paths names
RECORDED_TABLES = {"CLUSTER", "BINDING", "TARGET", "TASK", "STATUS_ITEM", "COMPONENT", *MEMORY_TABLES}
RECORDED_OTHERWISE = {
    ("CLUSTER", "NAME"): "fill_cluster() writes metadata.name",
    ("CLUSTER", "HAS_SUMMARY"): "fill_cluster() writes status.resourceSummary",
    ("CLUSTER", "HAS_NODES"): "calls that read nodes are not recorded",
    ("BINDING", "CLUSTER_SCOPED"): "rebali_binding_tree() writes kind",
    ("BINDING", "MANAGED"): "fill_binding() writes a label",
    ("BINDING", "APPLIED_STATE"): "put_applied() writes the annotation",
    ("BINDING", "FULLY_APPLIED"): "put_conditions() writes the condition",
    ("STATUS_ITEM", "READY_REPLICAS"): "child_tree() writes status.readyReplicas",
    ("STATUS_ITEM", "REPLICAS"): "child_tree() writes status.replicas",
}

# members in the code of lib/manifest that are not of these objects, by subject
OTHER_NAMES = set("""code compat deleteOptions dryRun group object oldObject op path request
    subResource causes details continue preconditions firstTimestamp lastTimestamp involvedObject
    Group Version Kind replicasPath target webhooks""".split())
NAME_FOLDERS = ("read", "validate", "spread", "store", "patch")
# functions that take the name of a member, and as which argument
NAME_CALLS = {**dict.fromkeys(("rebali_member", "rebali_member_text", "rebali_put", "rebali_put_text",
                               "rebali_put_time", "rebali_map_at", "rebali_path_key"), 1),
              **dict.fromkeys(("rebali_text_or_default", "rebali_number_or_default"), 2)}

# members of rebal_schedule_opts that are not an input of a decision
NOT_SIGNED = {"struct_size", "max_work"}
FLAGS_NOT_WRITTEN = {"FINGERPRINT"}  # every record has one


def entries(text, prefix):
    """[(macro, arguments)] of a list; literals lose their quotes."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = re.findall(rf"^({prefix}\w+)\(((?:{ITEM}|,)*)\)$", text, re.M)
    if len(found) != len(re.findall(rf"^{prefix}\w+\(", text, re.M)):
        raise ValueError(f"an entry of {prefix} is written in another way")
    return [(macro, ["".join(re.findall(r'"([^"]*)"', one)) if '"' in one else one.strip()
                     for one in re.findall(ITEM, arguments)]) for macro, arguments in found]


def read_shapes(text):
    """({shape: {name: Member}}, {object: shape} of record shapes, [(shape, name)] of defaults)."""
    shapes, records, defaults = {}, {}, []
    for macro, words in entries(text, "REBALI_"):
        if macro in ("REBALI_SHAPE", "REBALI_RECORD_SHAPE"):
            shapes[words[0]] = {}
            records.update({words[1]: words[0]} if len(words) > 1 else {})
        elif macro.endswith("_DEFAULT"):
            defaults += [(words[0], name) for name in (words[1], words[3]) if name != "NULL"]
        else:
            shapes[words[0]][words[1]] = {"REBALI_MEMBER": lambda: Member(*words[2:5]),
                                          "REBALI_TEXT_MEMBER": lambda: Member("TEXT", "ONE", "NONE"),
                                          "REBALI_MERGED_LIST": lambda: Member(words[2], "LIST", words[3]),
                                          "REBALI_OPTION_MEMBER": lambda: Member(words[2], "ONE", "NONE")}[macro]()
    return shapes, records, defaults


def read_objects(text):
    """{object: {name in the API: Member}} of fields.def."""
    objects = {}
    for macro, words in entries(text, "REBAL_"):
        if macro == "REBAL_OBJECT":
            objects[words[0]] = {}
        else:
            objects[words[0]][words[6]] = Member(*words[3:6])
    return objects


# objects read as records beside the members of their objects: columns have them
READ_AS = [("REQUIREMENTS", "COMPONENT_REQUIREMENTS")]


def shapes_of(objects, shapes, records):
    """{object: its shapes}: those of the same name or named as its record, and down from there."""
    found, open_pairs = collections.defaultdict(set), [pair for pair in READ_AS if pair[0] in objects]
    for name in objects:
        shape = records.get(name, name)
        open_pairs += [(name, shape)] if shape in shapes else []
    while open_pairs:
        name, shape = open_pairs.pop()
        if shape not in found[name]:
            found[name].add(shape)
            open_pairs += [(field.child, shapes[shape][member].child) for member, field in objects[name].items()
                           if member in shapes[shape] and field.child in objects
                           and shapes[shape][member].type == "OBJECT"]
    return found


MAPS = {"PAIR": "TEXT", "AMOUNT": "QUANTITY", "MOMENT": "TIME"}
VALUES = {"INT_OR_TEXT": "INT_OR_TEXT", "RAW": "ANY"}


def fits(field, member, pairs):
    """Do a field and a member agree? Below ANY everything fits."""
    if member.type == "ANY":
        return field.type == "OBJECT"
    if field.type != "OBJECT":
        return field[:2] == member[:2]
    if field.cardinality == "MAP":
        return member[:2] == (MAPS.get(field.child), "MAP")
    if field.child in VALUES:
        return member[:2] == (VALUES[field.child], "ONE")
    return member[:2] == field[:2] and member.child in pairs.get(field.child, ())


def field_faults(objects, shapes, records):
    pairs = shapes_of(objects, shapes, records)
    for name, fields in objects.items():
        listed = name in OWN_OBJECTS or name in UNCHECKED_OBJECTS
        if listed == (name in pairs):
            yield f"fields.def: {name} has {'a' if listed else 'no'} shape in the schema"
            continue
        members = {member for shape in pairs.get(name, ()) for member in shapes[shape]}
        missing = {member for member in members - fields.keys() - OF_KINDS if (name, member) not in WITHOUT_FIELD}
        for member in fields.keys() - members if members else ():
            yield f"fields.def: {name} has {member}, the schema does not"
        for member in sorted(missing) if name not in PARTIAL_OBJECTS else ():
            yield f"fields.def: {name} lacks {member} of the schema"
        if name in PARTIAL_OBJECTS and not missing:
            yield f"check-schema.py: {name} has every member"
        for shape in sorted(pairs.get(name, ())):
            for member, field in fields.items():
                if member in shapes[shape] and not fits(field, shapes[shape][member], pairs):
                    yield f"fields.def: {name}.{member} is {field}, in shape {shape} {shapes[shape][member]}"


def resolve(shapes, shape, path):
    """The member at a path, whose steps may end in []; None: there is none."""
    member = None
    for step in path.split("."):
        known = shapes.get(shape, {}) if member is None or member.type == "OBJECT" else {}
        member = known.get(step.removesuffix("[]"))
        if member is None or (step.endswith("[]") and member.cardinality != "LIST"):
            return None
        shape = member.child
    return Member(member.type, "ONE", member.child) if path.endswith("[]") else member


PATH = r"(?:metadata|spec|status)(?:\.\w+(?:\[\])?)+"


def read_columns(text):
    """{(table, name): (type, source)} of columns.def."""
    return {(words[0], words[1]): (words[3], words[5]) for macro, words in entries(text, "REBAL_")
            if macro == "REBAL_COLUMN"}


def column_field(type_, objects):
    """A column as a field; a handle of a whole list is that list."""
    if type_ == "CLUSTER" or type_.startswith("ENUM_"):
        return Member("TEXT", "ONE", "NONE")
    if type_ not in objects:
        return Member(type_, "ONE", "NONE")
    return next(iter(objects[type_].values())) if type_ in OWN_OBJECTS and len(objects[type_]) == 1 else \
        Member("OBJECT", "ONE", type_)


def column_faults(columns, objects, shapes, records):
    pairs = shapes_of(objects, shapes, records)
    for (table, name), (type_, source) in columns.items():
        kinds = [TABLE_SHAPES[table]] if table in TABLE_SHAPES else KINDS
        for path in re.findall(rf"\b{PATH}", source):
            members = [member for member in (resolve(shapes, kind, path) for kind in kinds) if member]
            if not members:
                yield f"columns.def: {table} {name}: the schema of {' '.join(kinds)} has no {path}"
            elif path == source and not any(fits(column_field(type_, objects), member, pairs) for member in members):
                yield f"columns.def: {table} {name} is {type_}, in the schema {members[0]}"


def column_rows(text, columns):
    """[((table, name) or None, type, object, path)] of the tables of how columns are read and recorded."""
    keys = {f"{table}_{name}": (table, name) for table, name in columns}
    return [(keys.get(name), *rest) for name, *rest in re.findall(
        r'\{REBAL_(\w+), REBALI?_TYPE_(\w+),\s+(\w+),\s*"([^"]*)"\}', text)]


def recorded_faults(texts, columns):
    """Columns that records of calls lack."""
    rows = {row[0] for text in texts for row in column_rows(text, columns)}
    for key in sorted(key for key in columns if key[0] in RECORDED_TABLES):
        if (key in rows) == (key in RECORDED_OTHERWISE):
            yield (f"check-schema.py: {' '.join(key)} has a row, no exception" if key in rows else
                   f"{' '.join(key)} is in no record of a call: it needs a row in a table of lib/manifest/read or in "
                   "rebali_binding_cells, or is written by a function that RECORDED_OTHERWISE names")


def table_faults(text, columns, objects):
    """Lines of tables of how columns are read, against columns.def."""
    for key, type_, object_, path in column_rows(text, columns):
        if key is None or key[0] in MEMORY_TABLES or path.startswith("cells.") or path == "":
            continue
        listed, source = columns[key]
        handle = listed if listed in objects else None
        wanted = ("HANDLE", f"REBAL_OBJECT_{handle}") if handle else (listed, "0")
        if (type_, object_) != wanted and not (type_ == "PRESENCE" and listed == "BOOLEAN"):
            yield f"{' '.join(key)} is read as {type_} {object_}, in columns.def it is {listed}"
        if not re.search(rf"(?:^|\.){re.escape(path)}(?:$| )", source):
            yield f"{' '.join(key)} is read at {path}, columns.def has {source}"


def path_faults(text, shapes):
    """Paths of members in code."""
    for path in re.findall(rf'"({PATH})"', text):
        if not any(resolve(shapes, kind, path) for kind in KINDS):
            yield f"no kind of the schema has {path}"


def arguments(text, start):
    """The arguments of a call whose parenthesis opens before start."""
    depth, words = 1, [""]
    for character in re.sub(r"'.'", "''", text[start:start + 2000]):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            break
        words = [*words, ""] if character == "," and depth == 1 else [*words[:-1], words[-1] + character]
    return words


def names_in(text):
    """Names of members that code gives to functions of NAME_CALLS as literals."""
    found = set()
    for call in re.finditer(rf"\b(?:{'|'.join(NAME_CALLS)})\(", text):
        words = arguments(text, call.end())
        literal = re.fullmatch(r'\s*"(\w+)"', words[NAME_CALLS[call.group()[:-1]]])
        found |= {literal.group(1)} if literal else set()
    return found


def option_faults(names, pattern, text, exempt, place):
    """Members or flags of the options that a text does not use, and exceptions that it does."""
    for name in names:
        if bool(re.search(pattern % name, text)) == (name in exempt):
            yield f"{name} of rebal_schedule_opts is {'' if name in exempt else 'not '}part of {place}"


MEMBER, FLAG = r"opts(?:_of\(call\))?(?:\.|->)%s\b", r"\bREBAL_SCHEDULE_FLAG_%s\b"


def schedule_opts():
    """(members, flags)"""
    text = (common.INCLUDE / "rebalance/scheduler.h").read_text()
    body = re.search(r"typedef struct rebal_schedule_opts \{\n(.*?)\n\}", text, re.S).group(1)
    return (re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", body, flags=re.S)),
            set(re.findall(r"\bREBAL_SCHEDULE_FLAG_(\w+) =", text)))


def sample_faults():
    shapes, records, _ = read_shapes('REBALI_SHAPE(A)\nREBALI_MEMBER(A, "b", OBJECT, LIST, B, 0)\n'
                                     'REBALI_RECORD_SHAPE(B, O)\nREBALI_TEXT_MEMBER(B, "c", W | X, "d e", 0)')
    objects = {"O": {"c": Member("TEXT", "ONE", "NONE")}}
    columns = {("T", "C"): ("TEXT", "spec.b[].c")}
    line = '{REBAL_T_C, REBAL_TYPE_%s, 0, "%s"}'
    samples = (resolve(shapes, "A", "b[].c"), not resolve(shapes, "A", "b[].d"), not resolve(shapes, "A", "b.c[]"),
               not list(field_faults(objects, shapes, records)),
               list(field_faults({"O": {}}, shapes, records)), list(field_faults({"P": {}}, shapes, records)),
               list(field_faults({"O": {**objects["O"], "d": objects["O"]["c"]}}, shapes, records)),
               list(field_faults({"O": {"c": Member("INT32", "ONE", "NONE")}}, shapes, records)),
               not list(table_faults(line % ("TEXT", "c"), columns, objects)),
               list(table_faults(line % ("INT32", "c"), columns, objects)),
               list(table_faults(line % ("TEXT", "d"), columns, objects)),
               not list(recorded_faults(['{REBAL_TASK_C, REBAL_TYPE_TEXT, 0, "c"}'], {("TASK", "C"): ()})),
               list(recorded_faults([line % ("TEXT", "c")], {**columns, ("TASK", "C"): ()})),
               list(recorded_faults(['{REBAL_CLUSTER_NAME, REBAL_TYPE_TEXT, 0, "c"}'], {("CLUSTER", "NAME"): ()})),
               list(column_faults(columns, objects, shapes, records)), list(path_faults('"spec.b"', shapes)),
               names_in('rebali_member(rebali_member(tree, "spec"), "nodes")') == {"spec", "nodes"},
               list(option_faults(["a"], MEMBER, "opts->b", (), "x")),
               list(option_faults(["a"], MEMBER, "opts->a", {"a"}, "x")),
               not list(option_faults(["a"], MEMBER, "opts.a", (), "x")))
    return [f"sample {index} was judged wrongly" for index, right in enumerate(samples) if not right]


def main():
    faults = sample_faults()
    shapes, records, defaults = read_shapes("\n".join(path.read_text() for path in sorted(MANIFEST.glob("schema/*.def"))
                                                      if path.name not in ("members.def", "pod_types.def")))
    objects = read_objects((common.INCLUDE / "rebalance/fields.def").read_text())
    columns = read_columns(enums.whole("columns.def"))
    members, used = {name for shape in shapes.values() for name in shape}, set()
    faults += [f"a default names {name}, which {shape} lacks" for shape, name in defaults if name not in shapes[shape]]
    faults += field_faults(objects, shapes, records)
    faults += column_faults(columns, objects, shapes, records)
    faults += recorded_faults([path.read_text() for folder in ("read", "record")
                               for path in sorted((MANIFEST / folder).glob("*.c"))], columns)
    faults += [f"check-schema.py: {key} is not a column" for key in sorted(RECORDED_OTHERWISE.keys() - columns.keys())]
    sources = sorted(MANIFEST.rglob("*.[ch]"))
    for source in sources:
        text, place = source.read_text(), source.relative_to(common.SOURCE)
        faults += [f"{place}: {fault}" for fault in (*table_faults(text, columns, objects), *path_faults(text, shapes))]
        if source.parent.name in NAME_FOLDERS:
            names = names_in(text)
            used |= names
            faults += [f"{place}: no shape has {name}" for name in sorted(names - members - OTHER_NAMES)]
    faults += [f"check-schema.py: no code needs the name {name}" for name in sorted(OTHER_NAMES - (used - members))]
    (opts, flags), writer = schedule_opts(), (MANIFEST / "record/call_write.c").read_text()
    faults += option_faults(opts, MEMBER, (common.SOURCE / "lib/scheduler/pipeline/fingerprint.c").read_text(),
                            NOT_SIGNED, "the fingerprint")
    faults += option_faults(opts, MEMBER, writer, (), "records of calls")
    faults += option_faults(sorted(flags), FLAG, writer, FLAGS_NOT_WRITTEN, "records of calls")
    common.finish(faults, len(objects) + len(columns) + len(sources) + len(opts) + len(flags))


main()
