/**
 * Inserts a text at the cursor of an input, and calls `change` with its new value unless the input dispatches an event.
 * The browser can undo it if the text fits.
 */
export function insertText(
  input: HTMLInputElement | HTMLTextAreaElement,
  text: string,
  change: (value: string) => void,
): void {
  const start = input.selectionStart ?? input.value.length
  const end = input.selectionEnd ?? start
  input.focus()
  input.setSelectionRange(start, end)
  // The command would insert only a part of a text that is too long.
  const fits = input.maxLength < 0 || input.value.length - (end - start) + text.length <= input.maxLength
  if (fits && document.execCommand?.('insertText', false, text)) return
  input.setRangeText(text, start, end, 'end')
  change(input.value)
}
