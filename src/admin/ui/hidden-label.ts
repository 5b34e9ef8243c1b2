import { VisuallyHidden } from '@mantine/core'

/**
 * Props of an input whose heading already shows its label. A `Radio.Group` needs it: an `aria-label` would go to its
 * wrapper, which has no role.
 */
export const hiddenLabel = (label: string) => ({
  label,
  labelProps: { className: VisuallyHidden.classes.root ?? '' },
})
