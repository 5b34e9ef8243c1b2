/**
 * Props for dropdowns. The option list itself scrolls, without Mantine's extra scroll area, for assistive technology.
 */
export const listLook = {
  withScrollArea: false,
  styles: { options: { maxHeight: 'min(280px, 50vh)', overflowY: 'auto' } },
} as const

/**
 * Props for dropdowns in the filter popover. They are rendered inside the popover, because a click in a portal would
 * count as an outside click and close the popover. Fixed positioning avoids clipping by the popover's scrolling.
 */
export const filterList = {
  ...listLook,
  comboboxProps: { withinPortal: false, floatingStrategy: 'fixed' },
} as const

/** Portal target of popups above inputs: the page's main part, so that they are inside a landmark. */
export const insideLandmark = { target: '#main' } as const
