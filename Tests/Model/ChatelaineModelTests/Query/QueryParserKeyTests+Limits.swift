import ChatelaineMemory
import Testing

@testable import ChatelaineModel

/// Tests of the reasons for wrong keys, and of the size of a dictionary.
extension QueryParserKeyTests {
    /// The sentence names the wrong key and shows no value (behaviour/errors.md, 17).
    @Test func everySentenceNamesItsKey() {
        let values: [QueryValue] = [
            .text("s3cret"), .data(Array("s3cret".utf8)), .number(1234), .real(12.34), .null, .other, .uuid([]),
            .date(.nan), .array([.text("s3cret")]), .array([.data(Array("s3cret".utf8))]),
        ]
        for (key, symbol) in KeyName.constants.map({ ($0.value.description, $0.symbol.description) })
        where key != "class" {
            for (value, operation) in values.flatMap({ value in everyOperation.map { (value, $0) } }) {
                guard case .failure(let error) = meaning([("class", Self.genp), (key, value)], operation) else {
                    continue
                }
                #expect(error.reason.contains(symbol) || key == "type", "\(key): \(error.reason)")
                #expect(!error.reason.contains("s3cret") && !error.reason.contains("1234"), "\(error.reason)")
            }
            for value in values {
                let result = Result { () throws(KeychainError) in
                    try QueryParser.change([(key, value)], of: .internetPassword)
                }
                guard case .failure(let error) = result else { continue }
                #expect(error.reason.contains(symbol) || key == "type", "\(key): \(error.reason)")
                #expect(!error.reason.contains("s3cret"), "\(error.reason)")
            }
        }
    }

    @Test func whatIsNoKeyIsShownUnlessItMayBeASecret() throws {
        func reason(_ key: String, _ value: QueryValue) -> String {
            guard case .failure(let error) = meaning([("class", Self.genp), (key, value)], .update) else { return "" }
            return error.reason
        }
        #expect(reason("service", .text("mail")).contains("“service”"))
        #expect(reason(String(repeating: "x", count: 5000), .number(1)).utf8.count < 200)
        for exchanged in ["hunter2", "unlock", "my pin", "1234", "v"] {
            let sentence = reason(exchanged, .text("v_Data"))
            #expect(sentence.contains("kSecValueData") && !sentence.contains(exchanged + "”"), "\(sentence)")
        }
        let changed = Result { () throws(KeychainError) in
            try QueryParser.change([("r4ndom", .text("v_Data"))], of: .genericPassword)
        }
        guard case .failure(let error) = changed else { return #expect(Bool(false)) }
        #expect(error.reason.contains("kSecValueData") && !error.reason.contains("r4ndom"))
    }

    @Test func secretsAreTakenWhole() throws {
        #expect(try parseNew(["class": Self.genp, "v_Data": .text("pä")]).secret == SecretBytes(Array("pä".utf8)))
        #expect(try parseNew(["class": Self.genp]).secret == nil)
        #expect(try parseNew(["class": Self.genp, "v_Data": .secret(SecretBytes([5]))]).secret == SecretBytes([5]))
        let largest = SecretBytes(count: Limits.secretBytes) { _ in }
        let tooLarge = SecretBytes(count: Limits.secretBytes + 1) { _ in }
        #expect(try parseNew(["class": Self.genp, "v_Data": .secret(largest)]).secret?.count == Limits.secretBytes)
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parseNew(["class": Self.genp, "v_Data": .secret(tooLarge)])
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try change(["v_Data": .secret(tooLarge)]) }
    }

    @Test func attributesHaveALimitTogether() throws {
        let half = QueryValue.text(String(repeating: "x", count: Limits.attributeBytes / 2))
        #expect(throws: Never.self) { try parseNew(["class": Self.genp, "acct": half]) }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parseNew(["class": Self.genp, "acct": half, "svce": half])
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try parse(["class": Self.genp, "acct": half, "agrp": half], .find)
        }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try change(["acct": half, "svce": half]) }
    }
}
