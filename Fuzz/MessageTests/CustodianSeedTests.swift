import Foundation
import Testing

/// The seeds of messages to the custodian, which the other package does not have.
struct CustodianSeedTests {
    /// What the custodian is told and answers keeps its bytes. Other bytes take a new version of the protocol, and new
    /// seeds.
    @Test func messagesOfTheCustodianKeepTheirBytes() throws {
        let corpus = try ReplayTests.inputs("Corpus", .messages)
        for (name, content) in Seeds.enclaveMessages + Seeds.keyMessages where [2, 3].contains(content.first) {
            #expect(corpus[name] == Data(content), "Fuzz/Corpus/messages/\(name) has other bytes than are written")
        }
    }
}
