import ChatelaineCryptography
import ChatelaineModel
import Testing

@testable import Security

/// Tests of which certificate of a file belongs to a key (behaviour/import-export.md, 35).
struct ImportedIdentityTests {
    /// A renewed certificate and its predecessor have one key.
    @Test func theKeyIDSaysWhichCertificateIsTheKeys() throws {
        let key = try CryptographicKey.generate(.ec, bits: 256)
        let publicKey = try key.publicRepresentation()
        func certificate(_ number: UInt8, _ keyID: [UInt8]?) -> ExternalItem {
            ExternalItem(.certificate(der: [number], key: publicKey), label: "\(number)", keyID: keyID)
        }
        func chosen(_ items: [ExternalItem], _ keyID: [UInt8]?) throws -> [[UInt8]] {
            let item = ExternalItem(.privateKey(.ec, try key.privateRepresentation()), keyID: keyID)
            return try PKCS12Calls.identities(of: items + [item]).map(\.identity.certificate.der)
        }
        #expect(try chosen([certificate(1, nil), certificate(2, [1])], [1]) == [[2]])
        #expect(try chosen([certificate(1, [2]), certificate(2, [1])], [1]) == [[2]])
        #expect(try chosen([certificate(1, [2]), certificate(2, nil)], [1]) == [[1]])
        #expect(try chosen([certificate(1, nil), certificate(2, [1])], nil) == [[1]])
    }
}
