import ChatelaineMemory
import ChatelaineModel
import FormatProtocol
import Testing

/// Tests of the messages between securityd and formatd.
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
        .readMessage(CMSMessage(SecretBytes([1]))),
        .readMessage(
            CMSMessage(
                SecretBytes([1]), content: SecretBytes([]), certificates: [[0x30, 0], []],
                key: CMSKey(of: 3, SecretBytes([7])))),
        .writeMessage(CMSOrder(SecretBytes([1]), .envelop([[0x30, 0]]))),
        .writeMessage(CMSOrder(SecretBytes([]), .sign(CMSSigning([0x30], .sha1)))),
        .writeMessage(CMSOrder(SecretBytes([2]), .sign(signing))),
    ]

    private static let signing = {
        var signing = CMSSigning([0x30], .sha512)
        (signing.others, signing.isDetached, signing.signingTime) = ([[1], [2]], true, -1)
        (signing.hasCapabilities, signing.preference, signing.signature) = (true, [3], [4])
        return signing
    }()

    private static let message = {
        var content = CMSContent(.signed)
        (content.content, content.certificates) = (SecretBytes([1]), [[0x30, 0]])
        content.signers = CMSSigner.Status.allCases.map { CMSSigner($0) }
        content.signers.append(CMSSigner(.good, certificate: [0x30, 0], digest: .sha384, signingTime: 7))
        content.recipients = CMSRecipient.Method.allCases.map { CMSRecipient(1, certificate: 2, $0, encrypted: [3]) }
        var recipient = CMSRecipient(4, certificate: 5, .agreement, digest: .sha1, encrypted: [6])
        (recipient.publicKey, recipient.info, recipient.keyBytes) = ([4, 7], [8], 32)
        content.recipients.append(recipient)
        return content
    }()

    private static let replies: [FormatReply] =
        [
            .content(ExternalContent(format: .pkcs12, kind: .aggregate, items: items)), .file(SecretBytes([1])),
            .message(CMSContent(.enveloped)), .message(message),
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

    /// Bytes that are cut off anywhere or continue after the end are no request.
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
        let half = SecretBytes(count: FormatLimits.maximumFileBytes / 2 + 1) { _ in }
        #expect(isRefused(.readMessage(CMSMessage(half, content: half))))
        #expect(isRefused(.writeMessage(CMSOrder(bytes, .envelop([])))))
        let certificates = [[UInt8]](repeating: [], count: CMSLimits.maximumCertificates + 1)
        #expect(isRefused(.readMessage(CMSMessage(SecretBytes([]), certificates: certificates))))
        #expect(isRefused(.writeMessage(CMSOrder(SecretBytes([]), .envelop(certificates)))))
        let large = SecretBytes(count: CMSLimits.maximumKeyBytes + 1) { _ in }
        #expect(isRefused(.readMessage(CMSMessage(SecretBytes([]), key: CMSKey(of: 0, large)))))
        var signing = CMSSigning([], .sha256)
        signing.signature = [UInt8](repeating: 0, count: CMSLimits.maximumSignatureBytes + 1)
        #expect(isRefused(.writeMessage(CMSOrder(SecretBytes([]), .sign(signing)))))
    }

    /// The numbers are on the wire, and the statuses are Apple's.
    @Test func failuresHaveTheirNumbers() {
        let table: [(UInt8, Int32)] = [
            (1, -25257), (2, -26275), (3, -25260), (4, -25293), (5, -25256), (6, -25256), (7, -25256),
            (9, -25256), (10, -25302), (11, -25302), (12, -50), (13, -50), (14, -50),
            (15, -26275), (16, -67808),
        ]
        #expect(FormatFailure.allCases.map(\.rawValue) == table.map(\.0))
        #expect(FormatFailure.allCases.map(\.status.rawValue) == table.map(\.1))
        #expect(ExternalFormat.allCases.map(\.rawValue) == Array(0...14))
        #expect(ExternalKind.allCases.map(\.rawValue) == Array(0...5))
        #expect(KeyKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(CMSDigest.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(CMSSigner.Status.allCases.map(\.rawValue) == Array(1...6))
        #expect(CMSRecipient.Method.allCases.map(\.rawValue) == Array(0...3))
    }
}
