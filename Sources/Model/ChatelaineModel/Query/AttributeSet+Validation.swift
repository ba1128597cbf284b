import ChatelaineMemory

extension AttributeSet {
    /// Throws unless each attribute has the type that the class gives it.
    func validate(for itemClass: ItemClass) throws(KeychainError) {
        let schema = AttributeSchema.of(itemClass)
        for entry in entries {
            guard let kind = schema.kind(of: entry.key) else {
                throw KeychainError.noAttribute(entry.key.name, of: itemClass)
            }
            let fits =
                switch (kind, entry.value) {
                case (.blob, .text), (.blob, .data), (.blob, .number): true
                case (.string, .text): entry.key != .accessGroup
                case (.data, .data): true
                case (.number, .number): true
                case (.number, .text(let text)): AttributeValue.decimal(text) == nil
                case (.date, .date(let seconds)): seconds.isFinite
                default: false
                }
            guard fits else {
                throw KeychainError(.param, "the value of \(KeyName.of(entry.key, in: itemClass)) has the wrong type")
            }
        }
    }

    /// Throws if the attributes and `others` together exceed ``Limits/attributeBytes``.
    ///
    /// - Parameter others: the size of what is stored with the attributes, in bytes.
    func requireRoom(besides others: Int) throws(KeychainError) {
        // A key and the head of its value take at most 14 bytes; a number takes less.
        let own = entries.reduce(0) { sum, entry in
            switch entry.value {
            case .text(let text): sum + 14 + text.utf8.count
            case .data(let data): sum + 14 + data.count
            case .number, .date: sum + 14
            }
        }
        guard own + others <= Limits.attributeBytes else {
            throw KeychainError(
                .dataTooLarge, "the attributes of an item take \(Limits.attributeBytes) bytes at most")
        }
    }
}

extension SecretBytes? {
    /// Throws if the secret exceeds ``Limits/secretBytes``.
    package func requireRoom() throws(KeychainError) {
        guard let self, self.count > Limits.secretBytes else { return }
        throw KeychainError(
            .dataTooLarge, "the secret has \(self.count) bytes; an item holds \(Limits.secretBytes) at most")
    }
}
