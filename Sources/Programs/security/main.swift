import ChatelaineMemory
import Glibc
import SecurityTool

// A core file would hold secrets; the process stays dumpable, since the daemon looks at its executable.
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
// So could the backtrace that Swift's runtime shows on a terminal, with the memory that registers point to; and its
// handler of SIGQUIT would stand between Ctrl-\ and the end of a prompt.
CrashHandlers.remove()
exit(SecurityTool.run())
