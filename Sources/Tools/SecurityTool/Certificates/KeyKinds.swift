import ChatelaineModel

extension ExternalKeyKind {
    init(_ kind: KeyKind) {
        self =
            switch kind {
            case .rsa: .rsa
            case .ec: .ec
            case .ed25519: .ed25519
            case .x25519: .x25519
            }
    }
}
