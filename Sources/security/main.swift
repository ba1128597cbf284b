import Glibc
import SecurityTool

// A core file would hold secrets; the process stays dumpable, since the daemon looks at its executable.
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
exit(SecurityTool.run(CommandLine.arguments.dropFirst(), in: .process()))
