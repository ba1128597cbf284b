/// Programs that run whatever they are told to: who is behind them cannot be seen from the executable.
///
/// Known by their names. A copy under another name is a program of its own, with nothing granted to it yet, so a name
/// that hides what it is gains nobody anything.
enum SharedPrograms {
    /// Interpreters, multi-call binaries, debuggers and emulators, without version numbers.
    private static let stems: Set<String> = [
        // Shells
        "bash", "rbash", "sh", "dash", "zsh", "fish", "ksh", "ksh93", "mksh", "lksh", "tcsh", "csh", "ash", "yash",
        "elvish", "nu", "xonsh", "pwsh", "osh", "ysh", "posh",
        // Languages
        "python", "pypy", "ipython", "perl", "ruby", "jruby", "truffleruby", "mruby", "irb", "node", "nodejs", "deno",
        "bun", "qjs", "gjs", "gjs-console", "js", "d8", "electron", "lua", "luajit", "texlua", "php", "php-cgi",
        "php-fpm", "phpdbg", "java", "jshell", "scala", "kotlin", "groovy", "clj", "dotnet", "mono", "mono-sgen",
        "tclsh", "wish", "expect", "guile", "racket", "sbcl", "clisp", "ecl", "gsi", "csi", "chibi-scheme", "emacs",
        "emacs-nox", "emacs-gtk", "emacs-pgtk", "vim", "nvim", "awk", "gawk", "mawk", "nawk", "julia", "R", "Rscript",
        "octave", "octave-cli", "erl", "beam.smp", "iex", "elixir", "ghci", "runghc", "ocaml", "swipl", "gst",
        "swift", "swift-frontend", "lldb-rpc-server", "qmlscene", "qml", "sqlite", "gnuplot", "rakudo", "moar",
        "crystal",
        // Multi-call binaries
        "busybox", "toybox", "coreutils", "sbase-box", "ubase-box",
        // Debuggers and tracers
        "gdb", "gdbserver", "lldb", "lldb-server", "strace", "ltrace", "rr", "valgrind", "memcheck-amd64-linux", "perf",
        "bpftrace", "radare",
        // Emulators that load a program
        "wine", "wine-preloader", "wineloader", "box64", "box86", "FEXInterpreter", "proot",
    ]

    /// What may follow a stem besides version numbers: builds of the same program.
    private static let variants: Set<Substring> = [
        "dbg", "debug", "multiarch", "minimal", "static", "pydebug", "intel64", "preview", "preloader", "jit", "nojit",
        "tiny", "basic", "gtk", "gtk3", "nox", "cli", "cgi", "bin", "real", "wrapped", "stable", "lts", "nightly",
        "abi",
    ]

    /// Whether the last component of a path names such a program, in any version of it.
    static func contains(_ name: some StringProtocol) -> Bool {
        if isLoader(name) || name.hasPrefix("qemu-") { return true }
        // Programs of the Nix kind wrap the real one as ".NAME-wrapped".
        let name = Substring(name).drop { $0 == "." }
        return stems.contains(String(name))
            || name.indices.dropFirst().contains { end in
                stems.contains(String(name[..<end])) && isVersion(name[end...])
            }
    }

    /// The dynamic loader, glibc's `ld-linux*` and musl's `libc.so`, and any other shared object run by hand.
    private static func isLoader(_ name: some StringProtocol) -> Bool {
        name.hasPrefix("ld-linux") || name.hasPrefix("ld-musl") || name.hasPrefix("ld.so") || name.hasPrefix("ld64.so")
            || name.hasSuffix(".so") || name.contains(".so.")
    }

    private static func isVersion(_ rest: Substring) -> Bool {
        let pieces = rest.split { "-._+".contains($0) }
        return pieces.allSatisfy { piece in
            if variants.contains(piece) { return true }
            // 3, 11d, 18rc1, 3t: digits, then at most a letter or two and a number.
            let tail = piece.drop { $0.isASCII && $0.isNumber }
            guard tail.count < piece.count else { return false }
            return tail.count <= 4 && tail.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }
}
