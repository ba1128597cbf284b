import ChatelaineModel
import Testing

@testable import CertificateReading

/// Malformed certificates, made so by mistake or on purpose, do no harm.
struct HostileCertificateTests {
    private func flaw(_ change: (inout SampleCertificate) -> Void) -> String? {
        var sample = SampleCertificate()
        change(&sample)
        return flaw(sample.der)
    }

    private func flaw(_ der: [UInt8]) -> String? {
        guard case .flaw(let reason) = CertificateReader.read(der) else { return nil }
        #expect(reason.utf8.count <= CertificateLimits.maximumReasonBytes)
        return reason
    }

    @Test func everyBeginningIsNone() {
        let whole = SampleCertificate().der
        #expect(flaw(whole) == nil)
        for count in 0..<whole.count { #expect(flaw(Array(whole.prefix(count))) != nil) }
        for rest: [UInt8] in [[0], [0x30, 0], whole] { #expect(flaw(whole + rest) != nil) }
    }

    /// Whatever value one byte has, there is an answer, and every report can be sent.
    @Test func everyByteMayBeAnother() {
        var sample = SampleCertificate()
        sample.extensions = [
            SampleCertificate.element("2.5.29.15", SampleCertificate.der(0x03, [5, 0xA0])),
            SampleCertificate.element("2.5.29.19", SampleCertificate.sequence(SampleCertificate.der(0x02, [3]))),
            SampleCertificate.element(
                "2.5.29.17", SampleCertificate.sequence(SampleCertificate.der(0x82, Array("a".utf8)))),
        ]
        let whole = sample.der
        for place in whole.indices {
            for byte in [0, 1, 0x1F, 0x30, 0x7F, 0x80, 0xFF, whole[place] ^ 0x20, whole[place] &+ 1] as [UInt8] {
                var changed = whole
                changed[place] = byte
                checkWire(CertificateReader.read(changed))
            }
        }
    }

    private func checkWire(_ reading: CertificateReading) {
        var writer = CBORWriter()
        reading.encode(to: &writer)
        let bytes = writer.finishArray()
        let copy = bytes.withUnsafeBytes { bytes -> CertificateReading? in
            var reader = CBORReader(bytes)
            return try? CertificateReading(from: &reader)
        }
        #expect(copy == reading)
    }

    @Test func numbersAreInTheirShortestForm() throws {
        for bytes: [UInt8] in [[], [0, 1], [0xFF, 0x80]] {
            #expect(flaw { $0.serialNumber = SampleCertificate.der(0x02, bytes) } != nil)
        }
        // Some certificates have a serial number that is negative, zero, or longer than RFC 5280 allows.
        for bytes: [UInt8] in [[0x80], [0], [0, 0x80], [UInt8](repeating: 0x7F, count: 300)] {
            var sample = SampleCertificate()
            sample.serialNumber = SampleCertificate.der(0x02, bytes)
            #expect(try CertificateReader.report(of: sample.der).serialNumber == bytes)
        }
    }

    @Test func versionsAndWhatTheyHave() throws {
        var first = SampleCertificate()
        first.version = nil
        #expect(try CertificateReader.report(of: first.der).version == 1)
        for number in [3, 0x7F, 0x80] as [UInt8] {
            #expect(flaw { $0.version = SampleCertificate.der(0xA0, SampleCertificate.der(0x02, [number])) } != nil)
        }
        #expect(flaw { $0.version = SampleCertificate.der(0xA0, []) } != nil)
        let identifier = SampleCertificate.der(0x81, [0, 1])
        #expect(flaw { $0.rest = identifier } == nil)
        first.rest = identifier
        #expect(flaw(first.der) != nil)
        first.rest = []
        first.extensions = [SampleCertificate.element("1.2.3", [])]
        #expect(flaw(first.der) != nil)
    }

    @Test func datesThatThereAreNot() {
        for text in ["240230000000Z", "241301000000Z", "240101240000Z", "2401010000Z", "240101000000+0100", "x", ""] {
            #expect(flaw { $0.notBefore = SampleCertificate.der(0x17, Array(text.utf8)) } != nil)
        }
        for text in ["20240230000000Z", "99991232000000Z", "-0010101000000Z", "100000101000000Z"] {
            #expect(flaw { $0.notAfter = SampleCertificate.der(0x18, Array(text.utf8)) } != nil)
        }
        #expect(flaw { $0.notAfter = SampleCertificate.der(0x18, Array("99991231235959Z".utf8)) } == nil)
        #expect(flaw { $0.notAfter = SampleCertificate.der(0x0C, Array("240101000000Z".utf8)) } != nil)
    }

    @Test func lengthsWithoutAnEnd() {
        var der = SampleCertificate().der
        der[1] = 0x80
        #expect(flaw(der + [0, 0]) != nil)
        // The length is longer than necessary.
        let content = Array(SampleCertificate().der.dropFirst(4))
        #expect(
            flaw([0x30, 0x83, 0, UInt8(content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content) != nil)
        #expect(flaw([0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8)) != nil)
    }

    @Test func twoPlacesThatDiffer() {
        #expect(flaw { $0.outerAlgorithm = SampleCertificate.sequence(SampleCertificate.oid("1.2.3")) } != nil)
        #expect(
            flaw {
                $0.extensions = [SampleCertificate.element("1.2.3", []), SampleCertificate.element("1.2.3", [1])]
            } != nil)
    }

    @Test func tooMuchOfAnything() {
        func elements(_ count: Int) -> [[UInt8]] {
            (0..<count).map { SampleCertificate.element("1.2.\($0)", []) }
        }
        #expect(flaw { $0.extensions = elements(CertificateLimits.maximumExtensions) } == nil)
        #expect(flaw { $0.extensions = elements(CertificateLimits.maximumExtensions + 1) } != nil)
        #expect(flaw { $0.extensions = elements(10_000) } != nil)
        func name(_ count: Int) -> [UInt8] {
            SampleCertificate.der(0x30, (0..<count).flatMap { _ in SampleCertificate.part("2.5.4.3", 0x0C, [0x61]) })
        }
        #expect(flaw { $0.subject = name(CertificateLimits.maximumNameParts) } == nil)
        #expect(flaw { $0.subject = name(CertificateLimits.maximumNameParts + 1) } != nil)
        let large = [UInt8](repeating: 0x61, count: CertificateLimits.maximumBytes)
        #expect(
            flaw { $0.subject = SampleCertificate.der(0x30, SampleCertificate.part("2.5.4.3", 0x0C, large)) } != nil)
        let long = SampleCertificate.der(
            0x06, [0x2A] + [UInt8](repeating: 0xFF, count: CertificateLimits.maximumIdentifierBytes) + [1])
        #expect(flaw { $0.algorithm = SampleCertificate.sequence(long) } != nil)
        #expect(
            flaw {
                $0.algorithm = SampleCertificate.sequence(
                    SampleCertificate.der(0x06, [0x2A] + [UInt8](repeating: 0xFF, count: 12) + [1]))
            } != nil)
    }

    /// A certificate with a nonsensical extension is still read.
    ///
    /// The bytes of the extension are reported without a meaning.
    @Test func extensionsThatCannotBeRead() throws {
        var sample = SampleCertificate()
        sample.extensions = ["14", "15", "17", "19", "35", "37"].map {
            SampleCertificate.element("2.5.29.\($0)", [0x05, 0])
        }
        let report = try CertificateReader.report(of: sample.der)
        #expect(report.extensions.count == 6 && report.alternativeNames.isEmpty)
        #expect(report.subjectKeyIdentifier == nil && report.authorityKeyIdentifier == nil)
        #expect(report.keyUsage == nil && report.purposes == nil && report.authority == nil)
        // A zero byte ends a host name for some programs.
        sample.extensions = [
            SampleCertificate.element(
                "2.5.29.17", SampleCertificate.sequence(SampleCertificate.der(0x82, Array("a.org\0.evil".utf8))))
        ]
        #expect(try CertificateReader.report(of: sample.der).alternativeNames.isEmpty)
    }

    @Test func deepNestingEnds() {
        var deep: [UInt8] = [0x05, 0]
        for _ in 0..<3000 { deep = SampleCertificate.der(0x30, deep) }
        #expect(flaw(deep) != nil)
        #expect(flaw { $0.rest = deep } != nil)
        #expect(flaw { $0.extensions = [SampleCertificate.element("2.5.29.17", deep)] } == nil)
    }

    @Test func namesThatAreNone() {
        for name: [UInt8] in [[], [0x30], [0x31, 0], [0x30, 2, 0x31, 0], [0x30, 0, 0]] {
            #expect(throws: KeychainError(.param, "")) { try CertificateReader.normalize([name]) }
        }
        let long = SampleCertificate.name(
            ("2.5.4.3", 0x0C, String(repeating: "n", count: CertificateLimits.maximumNameBytes)))
        #expect(throws: KeychainError(.param, "")) { try CertificateReader.normalize([long]) }
    }

    /// The largest reports for one question fit into the answer.
    @Test func theLargestReportsFit() throws {
        var sample = SampleCertificate()
        // Short attributes, T.61 letters and identifiers in digits grow most in a report.
        sample.subject = SampleCertificate.der(
            0x30,
            (0..<CertificateLimits.maximumNameParts).flatMap { _ in
                SampleCertificate.part("2.5.4.3", 0x14, [UInt8](repeating: 0xE4, count: 200))
            })
        sample.extensions = [
            SampleCertificate.element(
                "2.5.29.17",
                SampleCertificate.der(
                    0x30,
                    (0..<CertificateLimits.maximumAlternativeNames).flatMap { _ in
                        SampleCertificate.der(0x87, [0xFF, 0xFF, 0xFF, 0xFF])
                    })),
            SampleCertificate.element(
                "2.5.29.37",
                SampleCertificate.der(
                    0x30,
                    (0..<CertificateLimits.maximumPurposes).flatMap { _ in
                        SampleCertificate.der(
                            0x06, [UInt8](repeating: 0x7F, count: CertificateLimits.maximumIdentifierBytes))
                    })),
        ]
        let der = sample.der
        #expect(der.count <= CertificateLimits.maximumBytes)
        var writer = CBORWriter()
        CertificateReading.report(try CertificateReader.report(of: der)).encode(to: &writer)
        #expect(writer.finishArray().count <= 7 * der.count)
    }
}
