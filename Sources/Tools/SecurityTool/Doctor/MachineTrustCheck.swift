import ChatelaineModel
import ChatelaineTrustSettings

/// Finds root's trust files that are not understood: they deny their certificates, or stop every evaluation.
struct MachineTrustCheck {
    var folder = MachineTrustFolder()

    func findings() -> [Finding] {
        // A folder that this user cannot read is no finding for this user.
        guard let names = try? folder.filesNotUnderstood() else { return [] }
        return names.map { name in
            Finding(
                "trust.machine", .problem,
                "\(Printable.text(name)) is not understood: certificates in it are denied, and where it has none that can be read, no certificate is trusted",
                remedy:
                    "as root, leave one certificate in it, and before it lines that begin with “Trust: ”, or move it away"
            )
        }
    }
}
