import ChatelaineModel
import Foundation
import Testing

@testable import KeyFormats

/// The certificates of a file are linked to their issuers (behaviour/import-export.md, 34).
struct IssuerTests {
    private let files: FormatCase

    init() throws {
        files = try FormatCase()
        try files.openssl("req -x509 \(Self.key("root")) -subj /CN=Root -days 90")
    }

    private static func key(_ name: String) -> String {
        "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout @\(name).key -out @\(name).pem"
    }

    private func issue(_ name: String, _ subject: String, by issuer: String) throws {
        try files.openssl(
            "req -x509 -CA @\(issuer).pem -CAkey @\(issuer).key \(Self.key(name)) -subj \(subject) -days 90")
    }

    /// The certificates of several files, in one.
    private func read(_ names: [String]) throws -> [ExternalItem] {
        try FormatCase.read(try names.flatMap { try files.bytes("\($0).pem") }).items
    }

    /// An authority that changed its key has two certificates with one name.
    @Test(arguments: [["old", "new"], ["new", "old"], ["old", "older", "new"]])
    func ofOneNameTheOneThatSignedIsTheIssuer(_ order: [String]) throws {
        for name in Set(order) { try issue(name, "/CN=Issuing", by: "root") }
        try issue("leaf", "/CN=leaf", by: "new")
        let names = ["leaf"] + order + ["root"]
        let items = try read(names)
        #expect(items[0].issuer == names.firstIndex(of: "new").map { UInt64($0) })
        for place in 1...order.count { #expect(items[place].issuer == UInt64(names.count - 1)) }
        #expect(items.last?.issuer == nil)
    }

    /// Without the one that signed, the name alone counts.
    @Test func aNameCountsWhereNobodySigned() throws {
        for name in ["old", "older", "new"] { try issue(name, "/CN=Issuing", by: "root") }
        try issue("leaf", "/CN=leaf", by: "new")
        #expect(try read(["leaf", "root", "old", "older"]).map(\.issuer) == [2, nil, 1, 1])
        #expect(try read(["leaf", "old"]).map(\.issuer) == [1, nil])
        #expect(try read(["leaf"]).map(\.issuer) == [nil])
    }

    /// Names are equal in any case and with other spaces (RFC 5280, 7.1).
    @Test func namesAreComparedAsCertificatesDo() throws {
        try issue("issuing", "/CN=My_Issuing", by: "root")
        try issue("leaf", "/CN=leaf", by: "issuing")
        try issue("same", "/CN=MY_ISSUING", by: "root")
        #expect(try read(["leaf", "same"]).map(\.issuer) == [1, nil])
        #expect(try read(["leaf", "same", "issuing"]).map(\.issuer) == [2, nil, nil])
    }

    /// As many signatures as a file may have certificates are verified, and no more.
    @Test(.timeLimit(.minutes(5))) func aFileOfOneNameIsReadInTime() throws {
        for name in ["old", "new"] { try issue(name, "/CN=Issuing", by: "root") }
        try issue("leaf", "/CN=leaf", by: "new")
        let names = [String](repeating: "old", count: 100) + [String](repeating: "leaf", count: 100)
        #expect(try read(names).count == 200)
    }
}
