/** For drop-downs: the list of options scrolls itself, so that it is one thing to assistive technology. */
export const listLook = {
  withScrollArea: false,
  styles: { options: { maxHeight: 'min(280px, 50vh)', overflowY: 'auto' } },
} as const

/**
 * For drop-downs in the window of filters: one elsewhere in the page would count as a click outside, and close it. Their
 * place is fixed, so that the window, which scrolls, does not cut them off.
 */
export const filterList = {
  ...listLook,
  comboboxProps: { withinPortal: false, floatingStrategy: 'fixed' },
} as const

/** Where what opens above an input is put: into the page's main part, so that it belongs to a landmark. */
export const insideLandmark = { target: '#main' } as const
