import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// Records that widen access: they are signed with the passcode, and verified whenever they are read.
extension KeybagCustodian {
    /// Signs records; it signs nothing without the right passcode, or while the keybag is locked.
    func endorse(
        _ digest: [UInt8], _ passcode: SecretBytes, from origin: PasscodeOrigin
    ) throws(KeychainError) -> (outcome: PasscodeOutcome, endorsement: Endorsement?) {
        guard digest.count == Endorsement.digestBytes else {
            throw KeychainError(.param, "a digest of records has \(Endorsement.digestBytes) bytes")
        }
        guard device.lock == .unlocked else {
            throw KeychainError(
                cause: .locked,
                "what widens the access of programs cannot be decided while it is locked; unlock it")
        }
        var endorsement: Endorsement?
        let outcome = try whenRight(passcode, from: origin) { protector throws(KeychainError) in
            let key = try endorsementKey(under: protector)
            // Otherwise the file may give this number to other records, and refuse these after the next start.
            try settle()
            endorsement = try key.sign(digest, under: protector, for: id)
        }
        return (outcome, endorsement)
    }

    /// Writes the file again if a failed save may have left another state on disk.
    private func settle() throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in
            guard withState({ $0.isUnsettled }) else { return }
            try save { _ throws(KeychainError) in }
        }
    }

    private func endorsementKey(under protector: SecretBytes) throws(KeychainError) -> EndorsementKey {
        if let key = withState({ $0.keybag.passcode?.endorsementKey }) { return key }
        let key = try EndorsementKey.make(under: protector, for: id)
        try saveAlone { draft throws(KeychainError) in
            draft.keybag.passcode?.endorsementKey = key
            draft.keybag.changed = draft.now
        }
        return key
    }

    /// Whether records are the ones that were signed last.
    ///
    /// The first check of a signature records its number and digest on disk. Older signatures are refused from then on,
    /// and so are other records with the same number. Signing itself does not raise the number, so a signature that was
    /// never checked shares its number with the next one.
    ///
    /// - Parameter haveTrust: whether the records include settings of trust, or it is unknown; their digest covers
    ///   this.
    func isEndorsed(
        _ digest: [UInt8], by endorsement: Endorsement, haveTrust: Bool
    ) throws(KeychainError) -> Bool {
        guard let record = withState({ $0.keybag.passcode }) else { return false }
        guard let key = record.endorsementKey, key.accepts(endorsement, of: digest, for: id) else {
            // Records that the former key signed count until the first signature of this key is in use.
            return record.endorsementKey?.number ?? 0 == 0 && record.signed?.digest == digest
        }
        let signed = SignedRecords(digest: digest, haveTrust: haveTrust)
        if endorsement.number > key.number {
            return try note(endorsement.number, signed, of: key)
        } else if let known = record.signed?.digest {
            return known == digest
        } else {
            // A former release did not record the digest. The signature counts even if the digest cannot be written
            // now.
            do throws(KeychainError) { return try note(endorsement.number, signed, of: key) } catch {}
        }
        return true
    }

    /// Records a signature in use; returns whether these are still the records of that number, since others may have
    /// been recorded meanwhile.
    private func note(_ number: UInt64, _ signed: SignedRecords, of key: EndorsementKey) throws(KeychainError) -> Bool {
        var isTheOne = true
        try saveAlone { draft throws(KeychainError) in
            // A key that was replaced meanwhile has no number to record.
            guard let now = draft.keybag.passcode, let noted = now.endorsementKey, noted.publicKey == key.publicKey
            else { return }
            if noted.number >= number, let known = now.signed?.digest {
                isTheOne = noted.number == number && known == signed.digest
                return
            }
            draft.keybag.passcode?.endorsementKey?.number = number
            draft.keybag.passcode?.signed = signed
            draft.keybag.changed = draft.now
        }
        return isTheOne
    }
}
