import ChatelaineModel
import Glibc
import TrustProtocol

/// Collects what concerns the certificates of one evaluation: the roots and settings whose subjects occur in them.
///
/// The bytes, which a stranger sent, are searched for each root and each setting. So each file is searched once,
/// however often the question is asked.
struct TrustCaseBuilder {
    private let caller: String?
    private let settings: [(domain: TrustSetting.Domain, setting: TrustSetting)]
    private var roots: RootSearch
    private var searched: Set<File> = []
    /// The indexes of the settings that concern the evaluation.
    private var relevant: Set<Int> = []

    /// Makes a builder without certificates.
    ///
    /// - Parameters:
    ///   - own: the person's settings.
    ///   - admin: root's settings.
    ///   - caller: the path of the calling program; nil where it is unknown.
    init(roots: RootIndex, own: [TrustSetting], admin: [TrustSetting], for caller: String?) {
        (self.roots, self.caller) = (RootSearch(roots), caller)
        settings = own.map { (.user, $0) } + admin.map { (.admin, $0) }
    }

    /// Adds given certificates, or fetched files of certificates.
    ///
    /// A fetched list contains its certificates byte for byte.
    mutating func add(_ files: [[UInt8]]) {
        let new = files.filter { searched.insert(File(bytes: $0)).inserted }
        guard !new.isEmpty else { return }
        let all = new + roots.add(new)
        for (index, (_, setting)) in settings.enumerated() where !relevant.contains(index) {
            let isNamed = all.contains { $0 == setting.certificate || $0.contains(bytes: setting.subject) }
            if isNamed { relevant.insert(index) }
        }
    }

    /// The question with all that is known.
    func trustCase(_ question: TrustQuestion) -> TrustCase {
        TrustCase(question, roots: roots.found, settings: concerning, now: Int64(time(nil)))
    }

    /// Bytes that are hashed together: an array hashes one byte after the other, which takes ten times as long.
    private struct File: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private var concerning: [TrustCase.Setting] {
        settings.indices.filter(relevant.contains).compactMap { index in
            let (domain, setting) = settings[index]
            // A program that is not known may be the one to which something is denied.
            let constraints = setting.constraints.filter { constraint in
                constraint.application == nil || constraint.application == caller
                    || caller == nil && constraint.result == .deny
            }
            // A setting whose constraints are all for other programs does not apply.
            guard setting.constraints.isEmpty || !constraints.isEmpty else { return nil }
            return TrustCase.Setting(domain, certificate: setting.certificate, constraints: constraints)
        }
    }
}
