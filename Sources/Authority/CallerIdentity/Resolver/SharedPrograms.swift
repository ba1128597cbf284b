/// Programs that run whatever they are told to, so that the executable does not show who is behind a call.
///
/// They are known by their names. A copy under another name is a separate program without any grants, so renaming one
/// gains nothing. `builtIn` is generated from `Tools/data/interpreters` and compiled in, so that it does not depend on
/// a file. An administrator can add programs (``AddedInterpreters``).
enum SharedPrograms {
    /// What may follow a stem besides version numbers, in the names of builds of the same program.
    private static let variants: Set<Substring> = [
        "dbg", "debug", "multiarch", "minimal", "static", "pydebug", "intel64", "preview", "preloader", "jit", "nojit",
        "tiny", "basic", "gtk", "gtk3", "nox", "cli", "cgi", "bin", "real", "wrapped", "stable", "lts", "nightly",
        "abi",
    ]

    /// Whether the last component of a path names a shared program, in any version of it.
    static func contains(_ name: some StringProtocol) -> Bool {
        isLoader(name) || name.hasPrefix("qemu-") || isVersion(Substring(name), of: builtIn)
            || withoutPlatform(Substring(name)).map { isVersion($0, of: builtIn) } ?? false
    }

    /// A name without the platform at its end, as in perl5.36-x86_64-linux-gnu and memcheck-amd64-linux; nil for none.
    private static func withoutPlatform(_ name: Substring) -> Substring? {
        let pieces = name.split(separator: "-", omittingEmptySubsequences: false)
        guard let system = pieces.lastIndex(of: "linux"), system >= 2, pieces.count - system <= 2 else { return nil }
        return name[..<pieces[system - 2].endIndex]
    }

    /// Whether a name is one of the stems, or a version or build of one.
    static func isVersion(_ name: Substring, of stems: Set<Substring>) -> Bool {
        guard !stems.isEmpty else { return false }
        // Nix wraps a program as ".NAME-wrapped".
        let bare = name.drop { $0 == "." }
        return stems.contains(name) || stems.contains(bare)
            || bare.indices.dropFirst().contains { end in stems.contains(bare[..<end]) && isVersion(bare[end...]) }
    }

    /// The dynamic loader, glibc's `ld-linux*` and musl's `libc.so`, and any other shared object that is run directly.
    private static func isLoader(_ name: some StringProtocol) -> Bool {
        name.hasPrefix("ld-linux") || name.hasPrefix("ld-musl") || name.hasPrefix("ld.so") || name.hasPrefix("ld64.so")
            || name.hasSuffix(".so") || name.contains(".so.")
    }

    private static func isVersion(_ rest: Substring) -> Bool {
        let pieces = rest.split { "-._+".contains($0) }
        return pieces.allSatisfy { piece in
            if variants.contains(piece) { return true }
            // Such as 3, 11d, 18rc1, 3t: digits, then at most four letters or digits.
            let tail = piece.drop { $0.isASCII && $0.isNumber }
            guard tail.count < piece.count else { return false }
            return tail.count <= 4 && tail.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }
}
