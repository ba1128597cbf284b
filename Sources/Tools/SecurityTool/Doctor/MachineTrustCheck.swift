import ChatelaineModel
import ChatelaineTrustSettings

/// Root's files of trust that are not understood: they deny what they have certificates of, or stop every evaluation.
struct MachineTrustCheck {
    var folder = MachineTrustFolder()

    func findings() -> [Finding] {
        // What cannot be read is not root's to mend for who asks here.
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
