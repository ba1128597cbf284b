import X509

/// Certificates by their subjects, for as long as a search may go on.
struct BoundedStore: CustomCertificateStore {
    private let bySubject: [DistinguishedName: [Certificate]]
    private let budget: SearchBudget

    init(_ certificates: [ReadCertificate], _ budget: SearchBudget) {
        bySubject = Dictionary(grouping: certificates.map(\.certificate), by: \.subject)
        self.budget = budget
    }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        get async { budget.take(bySubject[subject]) }
    }

    func contains(_ certificate: Certificate) async -> Bool {
        bySubject[certificate.subject]?.contains(certificate) ?? false
    }

    /// Nobody adds to one.
    mutating func append(contentsOf certificates: some Sequence<Certificate>) {
        self = Self(Array(bySubject.values.joined()) + certificates, budget)
    }

    private init(_ certificates: [Certificate], _ budget: SearchBudget) {
        bySubject = Dictionary(grouping: certificates, by: \.subject)
        self.budget = budget
    }

    static func == (left: Self, right: Self) -> Bool { left.bySubject == right.bySubject }

    func hash(into hasher: inout Hasher) { hasher.combine(bySubject) }
}
