import X509

/// The certificates of a search by their subjects, in any spelling, handed out as long as the budget allows.
struct BoundedStore: CustomCertificateStore {
    private let bySubject: [ComparableName: [Certificate]]
    private let budget: SearchBudget

    init(_ certificates: [ReadCertificate], _ budget: SearchBudget) {
        bySubject = Dictionary(grouping: certificates, by: \.subjectName).mapValues { $0.map(\.certificate) }
        self.budget = budget
    }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async { budget.take(bySubject[ComparableName(subject)]) }
    }

    func contains(_ certificate: Certificate) async -> Bool {
        bySubject[ComparableName(certificate.subject)]?.contains(certificate) ?? false
    }

    /// Required by the protocol; nothing calls it.
    mutating func append(contentsOf certificates: some Sequence<Certificate>) {
        self = Self(Array(bySubject.values.joined()) + certificates, budget)
    }

    private init(_ certificates: [Certificate], _ budget: SearchBudget) {
        bySubject = Dictionary(grouping: certificates, by: { ComparableName($0.subject) })
        self.budget = budget
    }

    static func == (left: Self, right: Self) -> Bool { left.bySubject == right.bySubject }

    func hash(into hasher: inout Hasher) { hasher.combine(bySubject) }
}
