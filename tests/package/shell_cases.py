"""What the shells are to complete: the words of a line, the last one unfinished, and what it may become.
Run in a folder that holds `folder/` and `file.yaml`."""

CASES = [
    (["inlay", "ma"], {"map", "mapspace"}),
    (["inlay", "map", "--obj"], {"--objective"}),
    (["inlay", "map", "--strategy", ""], {"exact", "random", "dnnopt", "gp"}),
    (["inlay", "map", "--objective", "energy,d"], {"energy,delay"}),
    (["inlay", "map", "alexnet", "--arch", "eye"], {"eyeriss", "eyeriss-free"}),
    (["inlay", "map", "resnet5"], {"resnet50"}),
    (["inlay", "plan", "--machine", "onsram-"], {"onsram-2pads", "onsram-4pads"}),
    (["inlay", "codesign", "--technology", "th"], {"thistle-45nm"}),
    (["inlay", "list", "netw"], {"network"}),
    (["inlay", "map", "--constraints", "fil"], {"file.yaml"}),
    (["inlay", "map", "--output", "f"], {"folder"}),
    (["inlay", "--completion", "b"], {"bash"}),
]
