interface KeyEvent {
  keyCode: number
  nativeEvent?: { isComposing?: boolean }
  isComposing?: boolean
}

/**
 * Returns whether an input method is composing text. In that case it handles Enter, Escape and arrow keys itself.
 * Safari ends the composition before it dispatches the final Enter, which has the key code 229.
 */
export function isComposing(event: KeyEvent): boolean {
  return event.keyCode === 229 || (event.nativeEvent?.isComposing ?? event.isComposing ?? false)
}
