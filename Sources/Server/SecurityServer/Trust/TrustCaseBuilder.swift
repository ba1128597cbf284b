import ChatelaineModel
import Glibc
import TrustProtocol

/// What is known here of the certificates of one evaluation: roots and settings whose subjects occur in them.
///
/// Bytes are searched for each root and each setting, and a stranger has sent them. So each file is searched once, however often the question is put.
struct TrustCaseBuilder {
    private let caller: String?
    private let settings: [(domain: TrustSetting.Domain, setting: TrustSetting)]
    private var roots: RootSearch
    private var searched: Set<[UInt8]> = []
    /// Which of the settings concern the evaluation.
    private var relevant: Set<Int> = []

    /// - Parameters:
    ///   - own: the person's settings.
    ///   - admin: root's.
    ///   - caller: the path of the program that asks; nil where nobody knows it.
    init(roots: RootIndex, own: [TrustSetting], admin: [TrustSetting], for caller: String?) {
        (self.roots, self.caller) = (RootSearch(roots), caller)
        settings = own.map { (.user, $0) } + admin.map { (.admin, $0) }
    }

    /// Takes in certificates that were given, or files of them that were fetched: a list of certificates has them in it as they are.
    mutating func add(_ files: [[UInt8]]) {
        let new = files.filter { searched.insert($0).inserted }
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

    private var concerning: [TrustCase.Setting] {
        settings.indices.filter(relevant.contains).compactMap { index in
            let (domain, setting) = settings[index]
            let constraints = setting.constraints.filter { $0.application == nil || $0.application == caller }
            // One all of whose constraints are for other programs says nothing to this one.
            guard setting.constraints.isEmpty || !constraints.isEmpty else { return nil }
            return TrustCase.Setting(domain, certificate: setting.certificate, constraints: constraints)
        }
    }
}
