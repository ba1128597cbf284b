import ChatelaineModel
import ChatelaineTrustSettings

/// Finds trust files of the machine that do not count, or are not understood: these deny their certificates, or stop
/// every evaluation.
struct MachineTrustCheck {
    var folder = MachineTrustFolder()

    func findings() -> [Finding] {
        // A folder that this user cannot read is no finding for this user.
        guard let names = try? folder.filesNotUnderstood(), let others = try? folder.filesThatDoNotCount() else {
            return []
        }
        return others.map { name in
            Finding(
                "trust.machine", .problem,
                "\(Printable.text(name)) does not count, since others than root could have written it: what it denies is not denied",
                remedy: "make it a plain file that root owns and others cannot write to, with mode 644, or move it away"
            )
        }
            + names.filter { !others.contains($0) }.map { name in
                Finding(
                    "trust.machine", .problem,
                    "\(Printable.text(name)) is not understood: certificates in it are denied, and where it has none that can be read, no certificate is trusted",
                    remedy:
                        "as root, leave one certificate in it, and before it lines that begin with “Trust: ”, or move it away"
                )
            }
    }
}
