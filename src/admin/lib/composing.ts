interface KeyEvent {
  keyCode: number
  nativeEvent?: { isComposing?: boolean }
  isComposing?: boolean
}

/**
 * Whether an input method is composing, in which case Enter, Escape and arrow keys belong to it. Safari ends the
 * composition before it dispatches the final Enter, which is recognised by key code 229.
 */
export function isComposing(event: KeyEvent): boolean {
  return event.keyCode === 229 || (event.nativeEvent?.isComposing ?? event.isComposing ?? false)
}
