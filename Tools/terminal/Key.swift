/// What was typed.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, backspace, delete, tab, backTab
    case up, down, left, right, home, end, pageUp, pageDown
    /// An arrow with the shift key, or the alternate one.
    case shiftUp, shiftDown
    /// A letter typed with the control key.
    case control(Character)
}
