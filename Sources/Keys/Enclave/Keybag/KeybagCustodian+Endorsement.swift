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
                .interactionNotAllowed,
                "what widens the access of programs cannot be decided while it is locked; unlock it")
        }
        var endorsement: Endorsement?
        let outcome = try whenRight(passcode, from: origin) { protector throws(KeychainError) in
            let key = try endorsementKey(under: protector)
            endorsement = try key.sign(digest, under: protector, for: id)
        }
        return (outcome, endorsement)
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

    /// Whether records are those that were signed last. The first look at a signature makes older ones worthless, on disk.
    func isEndorsed(_ digest: [UInt8], by endorsement: Endorsement) throws(KeychainError) -> Bool {
        guard let key = withState({ $0.keybag.passcode?.endorsementKey }),
            key.accepts(endorsement, of: digest, for: id)
        else { return false }
        guard endorsement.number > key.number else { return true }
        try saveAlone { draft throws(KeychainError) in
            // Of a key that was left behind meanwhile there is no number.
            guard draft.keybag.passcode?.endorsementKey?.publicKey == key.publicKey else { return }
            draft.keybag.passcode?.endorsementKey?.number = endorsement.number
            draft.keybag.changed = draft.now
        }
        return true
    }
}
