import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/**
 * Imori's theme. The colours come from the fire-bellied newt. Its dark back colours the rail (`--imori-rail`). `mizu`
 * (the water) marks controls and links. `hara` (the vermilion belly) marks the current location.
 */
const mizu: MantineColorsTuple = [
  '#edf8f6',
  '#d7eeeb',
  '#b0ddd8',
  '#84c9c2',
  '#5cb3ab',
  '#3a9990',
  '#227f78',
  '#176862',
  '#10534e',
  '#0a3f3b',
]

const hara: MantineColorsTuple = [
  '#fff1ec',
  '#ffddd2',
  '#fdbaa6',
  '#f89377',
  '#f2714e',
  '#e95a34',
  '#d9481f',
  '#b93a17',
  '#972e12',
  '#76230d',
]

/** Slightly green greys. On white and on `gray.0`, dimmed text in `gray.6` has a contrast above 4.5:1. */
const gray: MantineColorsTuple = [
  '#f6f8f7',
  '#edf0ef',
  '#e1e6e4',
  '#cfd6d3',
  '#b1bbb7',
  '#85918d',
  '#5d6966',
  '#47524f',
  '#303a37',
  '#1a2321',
]

/** Colours of the dark scheme, from text (0) to the page (7) and the surfaces below the page (8 and 9). */
const dark: MantineColorsTuple = [
  '#d8dedb',
  '#b8c2be',
  '#97a39f',
  '#74807c',
  '#3e4946',
  '#2d3634',
  '#222a28',
  '#171d1c',
  '#111615',
  '#0b0f0e',
]

const fontFamily = [
  'system-ui',
  '-apple-system',
  '"Segoe UI"',
  '"Hiragino Sans"',
  '"Hiragino Kaku Gothic ProN"',
  '"Noto Sans JP"',
  '"Noto Sans CJK JP"',
  '"Yu Gothic UI"',
  'Meiryo',
  'sans-serif',
].join(', ')

/**
 * Makes the list box of the options scroll itself, instead of Mantine's scroll area around it. The element in which the
 * arrow keys move is then the element that scrolls.
 */
const scrollingOptions = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 250, overflowY: 'auto' } },
} as const

export const theme = createTheme({
  primaryColor: 'mizu',
  primaryShade: { light: 7, dark: 6 },
  colors: { mizu, hara, gray, dark },
  black: '#1a2321',
  fontFamily,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK JP", monospace',
  headings: {
    fontFamily,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.35' },
      h2: { fontSize: '1.125rem', lineHeight: '1.45' },
      h3: { fontSize: '1rem', lineHeight: '1.5' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  lineHeights: { md: '1.6' },
  components: {
    // Japanese labels are easier to read with more space above the input than Mantine's default.
    InputWrapper: {
      styles: { label: { marginBottom: 4, fontWeight: 600 }, description: { marginBottom: 6 } },
    },
    // One press of Escape closes only one window; see lib/layers.ts.
    Modal: { defaultProps: { closeOnEscape: false } },
    Drawer: { defaultProps: { closeOnEscape: false } },
    DrawerRoot: { defaultProps: { closeOnEscape: false } },
    Select: scrollingOptions,
    MultiSelect: scrollingOptions,
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Anchor: { defaultProps: { underline: 'always' } },
    // Without Mantine's focus placeholder, the first item receives the focus, and the menu contains only items. With
    // `hideDetached: false`, a menu stays visible when its target scrolls out of view. Otherwise a focused menu would
    // lose the focus.
    Menu: {
      defaultProps: {
        shadow: 'md',
        position: 'bottom-start',
        withInitialFocusPlaceholder: false,
        hideDetached: false,
      },
    },
  },
})

/**
 * Overrides Mantine's variables whose defaults have less contrast than 4.5:1, and defines Imori's own (`--imori-…`).
 */
export const cssVariables: CSSVariablesResolver = (current) => ({
  variables: {
    '--imori-rail': '#17201e',
    '--imori-rail-hover': '#25312e',
    '--imori-rail-text': '#ccd6d2',
    '--imori-rail-dimmed': '#93a29d',
    '--imori-rail-line': '#2c3835',
    '--imori-hara': current.colors.hara?.[4] ?? '',
    '--imori-toast-success': '#1864ab',
    '--imori-toast-error': '#c92a2a',
    '--imori-rail-width': '248px',
  },
  light: {
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-6)',
    '--mantine-color-error': '#c22b2b',
    '--imori-surface': 'var(--mantine-color-gray-0)',
    '--imori-line': 'var(--mantine-color-gray-2)',
    '--imori-mark-back': '#17201e',
    '--imori-mark-eye': '#ffffff',
  },
  dark: {
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': '#ff8787',
    '--imori-rail': '#101514',
    '--imori-rail-hover': '#1f2826',
    '--imori-surface': 'var(--mantine-color-dark-6)',
    '--imori-line': 'var(--mantine-color-dark-5)',
    '--imori-mark-back': '#dfe7e4',
    '--imori-mark-eye': '#17201e',
  },
})
