import ChatelaineMemory
import Testing

@testable import ChatelaineModel

/// Tests of what dictionaries say about certificates (behaviour/certificates.md).
struct QueryParserCertificateTests {
    private func query(_ pairs: [String: QueryValue], _ operation: SearchOperation = .find) throws -> ItemQuery {
        try QueryParser.query(pairs.map { ($0.key, $0.value) }, for: operation)
    }

    private func item(_ pairs: [String: QueryValue]) throws -> NewItem {
        try QueryParser.newItem(pairs.map { ($0.key, $0.value) })
    }

    @Test func aCertificateImpliesItsClass() throws {
        let query = try query(["v_Ref": .certificate([1])])
        #expect(query.itemClass == .certificate && query.certificates == [[1]] && query.items == nil)
        #expect(query.synchronizable == .any)
        let item = try item(["v_Ref": .certificate([1, 2])])
        #expect(item.itemClass == .certificate && item.secret == SecretBytes([1, 2]))
        #expect(throws: KeychainError(.noSuchClass, "")) {
            try self.query(["v_Ref": .certificate([1]), "class": .text("genp")])
        }
        #expect(throws: KeychainError(.noSuchClass, "")) {
            try self.item(["v_Ref": .certificate([1]), "class": .text("keys")])
        }
    }

    @Test func listsOfCertificates() throws {
        let cert = QueryValue.text("cert")
        let list = QueryValue.array([.certificate([1]), .certificate([2])])
        #expect(try query(["class": cert, "m_ItemList": list]).certificates == [[1], [2]])
        #expect(try query(["class": cert, "m_ItemList": list, "v_Ref": .certificate([2])]).certificates == [[2]])
        #expect(try query(["class": cert, "m_ItemList": .array([]), "v_Ref": .certificate([2])]).certificates == [])
        // For another class, certificates are ignored.
        let other = try query(["class": .text("genp"), "m_ItemList": list])
        #expect(other.certificates == nil && other.items == [])
        let reference = QueryValue.reference(PersistentReference(itemClass: .certificate, identifier: ItemIdentifier()))
        for operation in [SearchOperation.find, .update, .delete] {
            #expect(throws: KeychainError(.param, "")) {
                try self.query(["m_ItemList": .array([reference]), "v_Ref": .certificate([1])], operation)
            }
            #expect(throws: KeychainError(.param, "")) {
                try self.query(["class": cert, "m_ItemList": .array([reference, .certificate([1])])], operation)
            }
        }
        let many = QueryValue.array(
            [QueryValue](repeating: .certificate([1]), count: CertificateLimits.maximumBatch + 1))
        #expect(throws: KeychainError(.param, "")) { try self.query(["class": cert, "m_ItemList": many]) }
    }

    @Test func theTermsOfCertificates() throws {
        let pairs: [String: QueryValue] = [
            "class": .text("cert"), "m_Issuers": .array([.data([0x30, 0])]), "m_ValidOnDate": .date(0),
            "m_EmailAddressIfPresent": .text("a@b"), "m_TrustedOnly": .number(1),
            "m_Policy": .policy(TrustPolicy(.ssl, name: "a")),
        ]
        let terms = try query(pairs).certificateTerms
        #expect(terms.issuers == [[0x30, 0]] && terms.validDate == 978_307_200 && terms.email == "a@b")
        #expect(terms.policy == TrustPolicy(.ssl, name: "a") && terms.isTrustedOnly)
        // Changes and deletions ignore the terms, as they ignore all matching.
        for operation in [SearchOperation.update, .delete] {
            #expect(try query(pairs, operation).certificateTerms.isEmpty)
        }
        #expect(try query(["class": .text("cert"), "m_ValidOnDate": .null]).certificateTerms.validDate ?? 0 > 1.7e9)
        #expect(try query(["class": .text("genp"), "m_ValidOnDate": .null]).certificateTerms.isEmpty)
        #expect(try query(["class": .text("idnt"), "m_TrustedOnly": .number(0)]).certificateTerms.isEmpty)
        #expect(try query(["class": .text("keys"), "m_TrustedOnly": .number(1)]).certificateTerms.isEmpty)
        let long = TrustPolicy(.ssl, name: String(repeating: "a", count: TrustLimits.maximumNameBytes + 1))
        #expect(throws: KeychainError(.param, "")) {
            try self.query(["class": .text("cert"), "m_Policy": .policy(long)])
        }
        for names: [QueryValue] in [
            [.text("a")], [.data([UInt8](repeating: 0, count: CertificateLimits.maximumNameBytes + 1))],
        ] {
            #expect(throws: KeychainError(.param, "")) {
                try self.query(["class": .text("cert"), "m_Issuers": .array(names)])
            }
        }
    }

    /// The values come from a socket, so the sender may break the rules.
    @Test func termsHaveTheirPlace() throws {
        var query = ItemQuery(itemClass: .genericPassword)
        query.certificateTerms.email = "a"
        #expect(throws: KeychainError(.param, "")) { try query.validate(for: .find) }
        query = ItemQuery(itemClass: .certificate)
        query.certificateTerms.validDate = 1
        try query.validate(for: .find)
        #expect(throws: KeychainError(.param, "")) { try query.validate(for: .delete) }
        query = ItemQuery(itemClass: .genericPassword)
        query.certificates = [[1]]
        #expect(throws: KeychainError(.param, "")) { try query.validate(for: .delete) }
    }

    @Test func allOfItComesBack() throws {
        var query = ItemQuery(itemClass: .certificate)
        query.certificates = [[1], []]
        (query.certificateTerms.issuers, query.certificateTerms.validDate) = ([[2]], -1.5)
        query.certificateTerms.email = "a@b"
        query.certificateTerms.policy = TrustPolicy(.smime, name: "a@b")
        query.certificateTerms.isTrustedOnly = true
        var writer = CBORWriter()
        query.encode(to: &writer)
        let copy = try writer.finishArray().withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            return try ItemQuery(from: &reader)
        }
        #expect(copy.certificates == query.certificates && copy.certificateTerms == query.certificateTerms)
    }

    /// A certificate is evaluated by itself.
    ///
    /// Its issuers count if the terms say so, or if the policy is about nothing else.
    @Test func whatIsAskedAboutACertificate() throws {
        var terms = CertificateTerms()
        terms.policy = TrustPolicy(.codeSigning)
        terms.validDate = -1.5
        var question = try terms.question(about: [1]) { () throws(KeychainError) in [[2]] }
        #expect(question.certificates == [[1]] && question.anchors == [[1]] && question.hasOwnAnchorsOnly)
        #expect(question.policies == [TrustPolicy(.codeSigning)] && question.allowsFetching == false)
        #expect(question.date == -2)
        for change: (inout CertificateTerms) -> Void in [
            { $0.isTrustedOnly = true }, { $0.policy = TrustPolicy(.basic) }, { $0.policy = TrustPolicy(.revocation) },
        ] {
            var terms = terms
            change(&terms)
            question = try terms.question(about: [1]) { () throws(KeychainError) in [[2]] }
            #expect(question.certificates == [[1], [2]] && question.anchors.isEmpty && !question.hasOwnAnchorsOnly)
        }
        (terms.policy, terms.isTrustedOnly, terms.validDate) = (nil, true, 1e300)
        question = try terms.question(about: [1]) { () throws(KeychainError) in [] }
        #expect(question.policies == [TrustPolicy(.basic)] && question.date == .max)
    }

    @Test func anObjectOfACertificateIsItsBytes() {
        let found = FoundItem(
            identifier: ItemIdentifier(), itemClass: .certificate, accessibility: .always, isSynchronizable: false,
            attributes: nil, secret: SecretBytes([1, 2]))
        var query = ItemQuery(itemClass: .certificate)
        query.returns = .reference
        guard case .certificate([1, 2], at: nil)? = ResultTree.shape([found], for: query) else {
            Issue.record("another object")
            return
        }
    }
}
