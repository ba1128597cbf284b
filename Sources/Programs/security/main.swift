import ChatelaineMemory
import Glibc
import SecurityTool

// A core file would contain secrets. The process stays dumpable, since the daemon looks at its executable.
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
// The backtrace that Swift's runtime shows on a terminal also prints memory that registers point to. The runtime's
// handler of SIGQUIT would also keep Ctrl-\ from ending a prompt.
CrashHandlers.remove()
exit(SecurityTool.run())
