import ChatelaineModel

extension SignedClaims: CBORValue {
    private enum Field: UInt64, CBORField {
        case owner = 1
        case identifier = 2
        case keychainGroups = 3
        case applicationGroups = 4
        case entitlements = 5
        case validFrom = 6
        case validUntil = 7
        case certificates = 8
        case keys = 9
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.owner, owner)
            $0.write(Field.identifier, identifier)
            $0.writeArray(Field.keychainGroups, keychainGroups)
            $0.writeArray(Field.applicationGroups, applicationGroups)
            $0.write(Field.entitlements, entitlements)
            $0.write(Field.validFrom, validFrom)
            $0.write(Field.validUntil, validUntil)
            $0.writeArray(Field.certificates, certificates)
            $0.writeArray(Field.keys, keys)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            owner: try map.read(Field.owner), identifier: try map.read(Field.identifier),
            keychainGroups: try map.readArray(Field.keychainGroups, limit: SignatureLimits.maximumGroups),
            applicationGroups: try map.readArray(Field.applicationGroups, limit: SignatureLimits.maximumGroups),
            entitlements: try map.read(Field.entitlements), validFrom: try map.read(Field.validFrom),
            validUntil: try map.read(Field.validUntil),
            certificates: try map.readArray(Field.certificates, limit: SignatureLimits.maximumCertificates),
            keys: try map.readArray(Field.keys, limit: SignatureLimits.maximumCertificates))
        guard entitlements.count <= SignatureLimits.maximumFileBytes,
            ([identifier] + keychainGroups + applicationGroups)
                .allSatisfy({ $0.utf8.count <= SignatureLimits.maximumNameBytes })
        else { throw .limitExceeded }
        reader = try map.end()
    }
}
