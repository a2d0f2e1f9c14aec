graph [
  directed 0
  multigraph 1
  Network "Three Towns"
  label "Three Towns"
  node [
    id 0
    label "Port"
    Country "Nowhere"
    Longitude 10.5
    Internal 1
    Latitude 50.25
  ]
  node [
    id 1
    label "Mill"
    Longitude 11.0
    Internal 1
    Latitude 51.0
  ]
  node [
    id 7
    label "Mill"
    hyperedge 1
    Internal 0
  ]
  edge [
    source 0
    target 1
    key 0
    LinkSpeed "2.5"
    LinkLabel "2.5 Gbps"
    LinkSpeedUnits "G"
    LinkSpeedRaw 2500000000.0
  ]
  edge [
    source 0
    target 1
    key 1
    LinkLabel "dark fibre"
  ]
  edge [
    source 1
    target 7
    id "e3"
    LinkSpeedRaw 10000000000.0
  ]
]
