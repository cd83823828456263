module gpu-scheduler.test/tools/openshift

go 1.26.0

require github.com/openshift/api v0.0.0-20250710004639-926605d3338b
