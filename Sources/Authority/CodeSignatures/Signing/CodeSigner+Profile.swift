import ChatelaineMemory
import ChatelaineModel
import SignatureFormat
import SwiftASN1
import X509

extension CodeSigner {
    /// What an anchor lets single signers of its team claim.
    package struct ProfileRequest {
        /// Names, or all names below one (`TEAMID.some.thing.*`).
        package var identifiers: [String] = []
        package var groups: [String] = []
        package var applicationGroups: [String] = []
        /// PEM files whose first certificate is a signer's.
        package var signers: [SecretBytes]
        package var days = CodeSigner.standardDays
        /// Seconds since 1970.
        package var now: Int64

        package init(signers: [SecretBytes], now: Int64) {
            self.signers = signers
            self.now = now
        }
    }

    /// Makes a profile with the key of the team's anchor.
    ///
    /// - Throws: `errSecParam` if the identity is no anchor, or a name is not the team's.
    package func profile(_ request: ProfileRequest) throws(KeychainError) -> [UInt8] {
        guard identity.certificates.count == 1, identity.root != nil else {
            throw KeychainError(
                .param, "a profile is made with the anchor: its key and its certificate are the identity")
        }
        var digests: [JSONValue] = []
        for file in request.signers { digests.append(.string(try Self.signerDigest(file).description)) }
        func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
        let payload = JSONObject(members: [
            .init(name: SigningProfile.Name.team, value: .string(identity.team.text)),
            .init(name: SigningProfile.Name.signers, value: .array(digests)),
            .init(name: SigningProfile.Name.identifiers, value: names(request.identifiers)),
            .init(name: SigningProfile.Name.groups, value: names(request.groups)),
            .init(name: SigningProfile.Name.applicationGroups, value: names(request.applicationGroups)),
            .init(name: ClaimedValidity.from, value: .integer(request.now)),
            .init(
                name: ClaimedValidity.until,
                value: .integer(
                    min(request.now + Int64(request.days) * Self.secondsPerDay, identity.signer.validity.until + 1))),
        ])
        // A profile that would not count is not returned.
        do throws(SignatureFlaw) { _ = try SigningProfile(payload, of: identity.team) } catch {
            throw KeychainError(.param, error.detail)
        }
        return try profile(payload)
    }

    /// The digest by which a profile names the signer with this PEM file.
    private static func signerDigest(_ file: SecretBytes) throws(KeychainError) -> Bytes32 {
        let text = file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let documents = try? PEMDocument.parseMultiple(pemString: text),
            let certificate = documents.first(where: { $0.discriminator == "CERTIFICATE" }),
            let digest = Bytes32(hashing: certificate.derBytes)
        else { throw KeychainError(.param, "a signer's file has no certificate in PEM") }
        return digest
    }
}
