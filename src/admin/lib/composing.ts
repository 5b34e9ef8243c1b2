interface KeyEvent {
  keyCode: number
  nativeEvent?: { isComposing?: boolean }
  isComposing?: boolean
}

/**
 * Is an input method at work? Then Enter, Escape and arrows are its keys, not ours. Safari ends the composition
 * before it tells of the Enter that ended it: that one is known by its key code 229.
 */
export function isComposing(event: KeyEvent): boolean {
  return event.keyCode === 229 || (event.nativeEvent?.isComposing ?? event.isComposing ?? false)
}
