import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol

/// Records that widen access: signed where the passcode is given, looked at whenever they are read.
extension KeybagCustodian {
    /// Signs records; nothing without the right passcode, or while it is locked.
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
            // Else the file may say that other records have this number, and refuse these after the next start.
            try settle()
            endorsement = try key.sign(digest, under: protector, for: id)
        }
        return (outcome, endorsement)
    }

    /// Has the file be what is known here, where a save that failed may have left something else.
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

    /// Whether records are those that were signed last. The first look at a signature makes older ones worthless, on disk, and others of its number: a
    /// signature counts nothing, so what was signed and never looked at has the number of what is signed next.
    ///
    /// - Parameter haveTrust: whether there are settings of trust among them, or nobody knows; their digest says the same.
    func isEndorsed(
        _ digest: [UInt8], by endorsement: Endorsement, haveTrust: Bool
    ) throws(KeychainError) -> Bool {
        guard let record = withState({ $0.keybag.passcode }) else { return false }
        guard let key = record.endorsementKey, key.accepts(endorsement, of: digest, for: id) else {
            // What the key of before had signed counts until this one's first signature is in use.
            return record.endorsementKey?.number ?? 0 == 0 && record.signed?.digest == digest
        }
        let signed = SignedRecords(digest: digest, haveTrust: haveTrust)
        if endorsement.number > key.number {
            return try note(endorsement.number, signed, of: key)
        } else if let known = record.signed?.digest {
            return known == digest
        } else {
            // Signed by a release that did not keep what. It counts also where that cannot be written.
            do throws(KeychainError) { return try note(endorsement.number, signed, of: key) } catch {}
        }
        return true
    }

    /// Whether these are the records of that number: others may have been noted since somebody looked.
    private func note(_ number: UInt64, _ signed: SignedRecords, of key: EndorsementKey) throws(KeychainError) -> Bool {
        var isTheOne = true
        try saveAlone { draft throws(KeychainError) in
            // Of a key that was left behind meanwhile there is no number.
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
