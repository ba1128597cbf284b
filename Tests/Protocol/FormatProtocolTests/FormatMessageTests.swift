import ChatelaineMemory
import ChatelaineModel
import FormatProtocol
import Testing

/// What securityd and formatd say to each other.
struct FormatMessageTests {
    private static let items = [
        ExternalItem(.certificate(der: [0x30, 0], key: [4, 1]), label: "J\u{FC}rgen", keyID: [7]),
        {
            var item = ExternalItem(.certificate(der: [0x30, 0], key: nil))
            item.issuer = 0
            return item
        }(),
        ExternalItem(.privateKey(.ec, SecretBytes([4, 1, 2])), label: ""),
        ExternalItem(.publicKey(.ed25519, [9])), ExternalItem(.sessionKey(SecretBytes([1]))),
    ]

    private static let requests: [FormatRequest] = [
        .read(ExternalFile(SecretBytes([1, 2]))),
        .read(ExternalFile(SecretBytes([]), format: .pkcs12, kind: .aggregate, passphrase: SecretBytes([]))),
        .write(ExternalOrder(items, format: .pkcs12, isArmoured: true, passphrase: SecretBytes([5]))),
        .write(ExternalOrder([], format: .unknown)),
    ]

    private static let replies: [FormatReply] =
        [
            .content(ExternalContent(format: .pkcs12, kind: .aggregate, items: items)), .file(SecretBytes([1])),
        ] + FormatFailure.allCases.map { .failure($0) }

    private static func encoding(_ value: some CBORValue) -> [UInt8] {
        var writer = CBORWriter()
        value.encode(to: &writer)
        return writer.finishArray()
    }

    private static func request(_ bytes: [UInt8]) throws -> FormatRequest {
        try bytes.withUnsafeBytes { try FormatRequest(frame: $0) }
    }

    @Test(arguments: requests) func aRequestReadsAsItWasWritten(_ request: FormatRequest) throws {
        #expect(try Self.request(Self.encoding(request)) == request)
    }

    @Test(arguments: replies) func aReplyReadsAsItWasWritten(_ reply: FormatReply) throws {
        let again = try Self.encoding(reply).withUnsafeBytes { try FormatReply(frame: $0) }
        #expect(again == reply)
    }

    /// Cut off anywhere, or with something behind it, it is none.
    @Test func nothingElseIsARequest() throws {
        for request in Self.requests {
            let bytes = Self.encoding(request)
            for count in 0..<bytes.count {
                #expect(throws: CBORError.self) { try Self.request(Array(bytes[..<count])) }
            }
            #expect(throws: CBORError.self) { try Self.request(bytes + [0]) }
        }
    }

    @Test func limitsAreKept() throws {
        func isRefused(_ request: FormatRequest) -> Bool {
            (try? Self.request(Self.encoding(request))) == nil
        }
        let bytes = SecretBytes(count: FormatLimits.maximumFileBytes + 1) { _ in }
        #expect(isRefused(.read(ExternalFile(bytes))))
        let passphrase = SecretBytes(count: FormatLimits.maximumPassphraseBytes + 1) { _ in }
        #expect(isRefused(.read(ExternalFile(SecretBytes([]), passphrase: passphrase))))
        #expect(isRefused(.write(ExternalOrder([], format: .pkcs12, passphrase: passphrase))))
        let key = ExternalItem(.privateKey(.rsa, SecretBytes(count: FormatLimits.maximumKeyBytes + 1) { _ in }))
        #expect(isRefused(.write(ExternalOrder([key], format: .openSSL))))
        let label = String(repeating: "a", count: FormatLimits.maximumLabelBytes + 1)
        #expect(isRefused(.write(ExternalOrder([ExternalItem(.publicKey(.ec, [4]), label: label)], format: .openSSL))))
        let many = [ExternalItem](repeating: ExternalItem(.publicKey(.ec, [4])), count: FormatLimits.maximumItems + 1)
        #expect(isRefused(.write(ExternalOrder(many, format: .pemSequence))))
    }

    /// Numbers are on the wire; the statuses are Apple's.
    @Test func failuresHaveTheirNumbers() {
        let table: [(UInt8, Int32)] = [
            (1, -25257), (2, -26275), (3, -25260), (4, -25293), (5, -25256), (6, -25256), (7, -25256), (8, -4),
            (9, -25256), (10, -25302), (11, -25302), (12, -50),
        ]
        #expect(FormatFailure.allCases.map(\.rawValue) == table.map(\.0))
        #expect(FormatFailure.allCases.map(\.status.rawValue) == table.map(\.1))
        #expect(ExternalFormat.allCases.map(\.rawValue) == Array(0...14))
        #expect(ExternalKind.allCases.map(\.rawValue) == Array(0...5))
        #expect(KeyKind.allCases.map(\.rawValue) == [1, 2, 3, 4])
    }
}
