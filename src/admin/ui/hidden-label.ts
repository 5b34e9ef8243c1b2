import { VisuallyHidden } from '@mantine/core'

/**
 * Returns props for an input whose label is already visible as a heading. `Radio.Group` needs them, because an
 * `aria-label` would be set on its wrapper, which has no role.
 */
export const hiddenLabel = (label: string) => ({
  label,
  labelProps: { className: VisuallyHidden.classes.root ?? '' },
})
