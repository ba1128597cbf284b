import ChatelaineModel
import Testing

@testable import SecurityServer

/// Programs share the places for work on certificates.
struct CertificatePlacesTests {
    /// However many processes and connections a program has, another one gets a place at once.
    @Test func oneProgramLeavesAPlaceToOthers() throws {
        let places = CertificatePlaces(2, patience: 0)
        try places.withPlace(for: .test(1)) { () throws(KeychainError) in
            #expect(throws: KeychainError(.notAvailable, "")) { try places.withPlace(for: .test(1)) {} }
            try places.withPlace(for: .test(2)) { () throws(KeychainError) in
                // What securityd reads for itself waits for nobody.
                try places.withPlace(for: nil) {}
            }
        }
    }

    @Test func aPlaceIsGivenBackAfterAnErrorToo() throws {
        let places = CertificatePlaces(1, patience: 0)
        let slot = ConnectionSlot.test()
        #expect(throws: KeychainError(.decode, "")) {
            try places.withPlace(for: slot) { () throws(KeychainError) in throw KeychainError(.decode, "") }
        }
        try places.withPlace(for: slot) {}
    }
}
