import ChatelaineMemory
import ChatelaineModel
import Sealing

/// The body of a keybag file, version 6, and of versions 1 to 5 (`Documentation/formats/keybag.md`).
///
/// It is parsed only after it was authenticated.
extension Keybag {
    private enum Field: UInt64, CBORField {
        case created = 0
        case changed = 1
        case nextKeyID = 2
        case keys = 3
        case destroyed = 4
        case generation = 5
        case isMarked = 6
        case passcode = 7
        case triesSequence = 8
    }

    func encodeBody(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.created, created)
            $0.write(Field.changed, changed)
            $0.write(Field.nextKeyID, nextKeyID)
            $0.writeArray(Field.keys, keys)
            $0.writeArray(Field.destroyed, destroyed)
            $0.write(Field.generation, generation)
            $0.write(Field.isMarked, isMarked)
            $0.begin(Field.passcode)
            if let passcode { passcode.encode(to: &$0) } else { $0.writeNull() }
            $0.write(Field.triesSequence, triesSequence)
        }
    }

    init(
        body: UnsafeRawBufferPointer, version: UInt64, id: KeybagIdentifier, store: StoreIdentifier
    ) throws(CBORError) {
        var map = try CBORMap(CBORReader(body))
        self.init(
            id: id, store: store, created: try map.read(Field.created), changed: try map.read(Field.changed),
            nextKeyID: try map.read(Field.nextKeyID), keys: try map.readArray(Field.keys, limit: Self.maximumKeys),
            destroyed: try map.readArray(Field.destroyed, limit: Self.maximumKeys))
        if version > 1 {
            generation = try map.read(Field.generation)
            isMarked = try map.read(Field.isMarked)
        }
        if version > 2 {
            try map.find(Field.passcode)
            passcode = try map.reader.readNull() ? nil : try PasscodeRecord(from: &map.reader)
            triesSequence = try map.read(Field.triesSequence)
        }
        try map.end().finish()
        guard isConsistent, version > 2 || keys.allSatisfy({ !$0.isSuperseded }),
            version > 3 || passcode?.endorsementKey == nil, (version > 5) == (passcode?.signed != nil),
            version > 5 || (version > 4) == hasDetachedKeys
        else { throw .outOfRange }
    }
}

extension KeybagKey.Kind: CBORValue {}

extension KeybagKey: CBORValue {
    private enum Field: UInt64, CBORField {
        case id = 0
        case kind = 1
        case accessibility = 2
        case parent = 3
        case wrapped = 4
        case sealsReserved = 5
        case created = 6
        case retired = 7
        /// Present only if true, as in versions without a passcode.
        case isSuperseded = 8
    }

    func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.id, id)
            $0.write(Field.kind, kind)
            $0.write(Field.accessibility, accessibility)
            $0.write(Field.parent, parent)
            $0.write(Field.wrapped, wrapped)
            $0.write(Field.sealsReserved, sealsReserved)
            $0.write(Field.created, created)
            $0.begin(Field.retired)
            if let retired { $0.write(retired) } else { $0.writeNull() }
            $0.write(Field.isSuperseded, isSuperseded ? true : nil)
        }
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        id = try map.read(Field.id)
        kind = try map.read(Field.kind)
        accessibility = try map.read(Field.accessibility)
        parent = try map.read(Field.parent)
        try map.find(Field.wrapped)
        // The keybag as a whole decides which of the two lengths is right.
        wrapped = try map.reader.readArray()
        guard wrapped.count <= ClassKeyWrapping.protectedByteCount else { throw .limitExceeded }
        sealsReserved = try map.read(Field.sealsReserved)
        created = try map.read(Field.created)
        try map.find(Field.retired)
        retired = try map.reader.readNull() ? nil : try map.reader.readInteger()
        if let flag: Bool = try map.readIfPresent(Field.isSuperseded) {
            guard flag else { throw .outOfRange }
            isSuperseded = true
        }
        reader = try map.end()
    }
}
